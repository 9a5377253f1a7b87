/**
 * What was put in lately, at least the last `least` of it and at most twice as many. Two generations cost the same however many
 * there are, which a set does not whose oldest goes with every newest.
 */
export class Recent<Value> {
  readonly #least: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(least: number) {
    this.#least = least;
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: Value): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#least) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
