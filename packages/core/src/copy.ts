import { toPlain } from "./plain.ts";

type Members = Record<string, unknown>;

/** How deep a value is followed by recursion; what is deeper, or leads back into itself, is copied by a list of what waits. */
const SHALLOW = 64;

/**
 * A copy of what passes between people who do not know each other: objects, lists, dates, maps, sets and bytes are made
 * anew, at every depth. Instances of other classes are shared: only they know how they are copied. Throws what reading
 * throws.
 */
export function copy<Value>(value: Value): Value {
  return copyAt(value, 0) as Value;
}

/** The same for those who only want to see it: what cannot be read is named in its place. Never throws. */
export function snapshot<Value>(value: Value): Value {
  try {
    return freeze(copy(value));
  } catch {
    return freeze(toPlain(value)) as Value;
  }
}

function copyAt(value: unknown, depth: number): unknown {
  if (!isContainer(value)) return value;
  if (depth > SHALLOW) return copyDeep(value);
  if (Array.isArray(value)) return copyList(value, depth);
  const made = remade(value, depth);
  if (made !== value)
    for (const key in made) {
      const inner = made[key];
      if (isContainer(inner)) made[key] = copyAt(inner, depth + 1);
    }
  return made;
}

function copyList(list: readonly unknown[], depth: number): unknown[] {
  const made = list.slice();
  for (let index = 0; index < made.length; index++) {
    const inner = made[index];
    if (isContainer(inner)) made[index] = copyAt(inner, depth + 1);
  }
  return made;
}

function copyDeep(value: Members): Members {
  const known = new Map<object, Members>();
  const waiting: Members[] = [];
  const make = (from: Members): Members => {
    const made = known.get(from) ?? remade(from, SHALLOW);
    if (made !== from && !known.has(from)) {
      known.set(from, made);
      waiting.push(made);
    }
    return made;
  };
  const root = make(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const [key, inner] of Object.entries(next)) if (isContainer(inner)) next[key] = make(inner);
  return root;
}

/** The same container with the same things in it, or the value itself where it is none that can be made anew. */
function remade(value: Members, depth: number): Members {
  if (Array.isArray(value)) return value.slice() as unknown as Members;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return { ...value };
  if (prototype === null) return Object.assign(Object.create(null), value);
  return remadeInstance(value, depth) as unknown as Members;
}

function remadeInstance(value: object, depth: number): object {
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof Map) return new Map(entriesOf(value, depth) as [unknown, unknown][]);
  if (value instanceof Set) return new Set(entriesOf(value, depth));
  return value instanceof Uint8Array ? value.slice() : value;
}

/** What a map or set holds, copied as deep as recursion goes. */
function entriesOf(value: Iterable<unknown>, depth: number): unknown[] {
  return depth < SHALLOW ? copyList([...value], depth + 1) : [...value];
}

/** Makes objects and lists unchangeable, at every depth. What is frozen already is taken to be so throughout. */
export function freeze<Value>(value: Value): Value {
  freezeAt(value, 0);
  return value;
}

function freezeAt(value: unknown, depth: number): void {
  if (!isContainer(value) || Object.isFrozen(value) || !isPlain(value)) return;
  if (depth > SHALLOW) freezeDeep(value);
  Object.freeze(value);
  if (Array.isArray(value))
    for (let index = 0; index < value.length; index++) freezeAt(value[index], depth + 1);
  else for (const key in value) freezeAt(value[key], depth + 1);
}

function freezeDeep(value: unknown): void {
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isContainer(next) || Object.isFrozen(next) || !isPlain(next)) continue;
    waiting.push(...Object.values(Object.freeze(next)).filter(isContainer));
  }
}

function isContainer(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
