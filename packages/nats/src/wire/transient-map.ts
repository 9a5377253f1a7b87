interface Box<Value> {
  value: Value | undefined;
}

/**
 * A map for what comes and goes by the thousand. The engine outgrows the table of such a map again and again, and what a
 * table held then lives on until all of the memory is looked through. Here that is an empty box, and not a call with its
 * message and its result.
 */
export class TransientMap<Key, Value extends object> {
  readonly #boxes = new Map<Key, Box<Value>>();

  get size(): number {
    return this.#boxes.size;
  }

  has(key: Key): boolean {
    return this.#boxes.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#boxes.get(key)?.value;
  }

  /** For a key that is not there. */
  add(key: Key, value: Value): void {
    this.#boxes.set(key, { value });
  }

  /** What was there. */
  take(key: Key): Value | undefined {
    const box = this.#boxes.get(key);
    if (box === undefined) return undefined;
    const { value } = box;
    box.value = undefined;
    this.#boxes.delete(key);
    return value;
  }

  /** In the order in which they came. */
  *entries(): Generator<[Key, Value]> {
    for (const [key, { value }] of this.#boxes) if (value !== undefined) yield [key, value];
  }

  values(): Value[] {
    return Array.from(this.entries(), ([, value]) => value);
  }
}
