import { toPlain } from "./plain.ts";

type Members = Record<string, unknown>;

/** How deep a value is followed by recursion, and how many parts of it are looked at that way. */
const SHALLOW = 64;
const FEW = 10_000;

/** How many more parts the copy under way looks at. One at a time is under way. */
let left = FEW;

/** Thrown where there are more: a value that shares some has more ways through it than parts. */
const TOO_MANY = Symbol("too many");

/** Frozen throughout, so that copies share them. */
const CONSTANTS = new WeakSet<object>();

/** What is the same for everybody and never changes: a part of many values that none of them has a copy of. */
export function constant<Value extends object>(value: Value): Value {
  CONSTANTS.add(freeze(value));
  return value;
}

/** Whether it is one: there is nothing in it to copy, to change or to hide. */
export function isConstant(value: object): boolean {
  return CONSTANTS.has(value);
}

/**
 * A copy of what passes between people who do not know each other: objects, lists, dates, maps, sets and bytes are made
 * anew, at every depth. Instances of other classes are shared: only they know how they are copied. Throws what reading
 * throws.
 */
export function copy<Value>(value: Value): Value {
  if (!isContainer(value)) return value;
  try {
    left = FEW;
    return copyAt(value, 0, false) as Value;
  } catch (error) {
    if (error !== TOO_MANY) throw error;
    return copyDeep(value) as Value;
  }
}

/** The same for what cannot be refused: what cannot be read is named in its place. Never throws. */
export function safeCopy<Value>(value: Value): Value {
  try {
    return copy(value);
  } catch {
    return toPlain(value) as Value;
  }
}

/** For those who only look: a copy that cannot be changed. Never throws. */
export function snapshot<Value>(value: Value): Value {
  if (!isContainer(value)) return value;
  try {
    left = FEW;
    return copyAt(value, 0, true) as Value;
  } catch {
    return freeze(safeCopy(value));
  }
}

function copyAt(value: Members, depth: number, frozen: boolean): unknown {
  if (depth > SHALLOW) return frozen ? freeze(copyDeep(value)) : copyDeep(value);
  left -= 1;
  if (left < 0) throw TOO_MANY;
  if (CONSTANTS.has(value)) return value;
  if (Array.isArray(value)) return copyList(value, depth, frozen);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return remadeInstance(value);
  const made = prototype === null ? remadeObject(value) : { ...value };
  for (const key in made) {
    const inner = made[key];
    if (typeof inner === "object" && inner !== null) made[key] = copyAt(inner as Members, depth + 1, frozen);
  }
  return frozen ? Object.freeze(made) : made;
}

function copyList(list: readonly unknown[], depth: number, frozen: boolean): unknown[] {
  const made = list.slice();
  for (let index = 0; index < made.length; index++) {
    const inner = made[index];
    if (typeof inner === "object" && inner !== null)
      made[index] = copyAt(inner as Members, depth + 1, frozen);
  }
  return frozen ? (Object.freeze(made) as unknown[]) : made;
}

/** By a list of what waits: for what is deep, leads back into itself or is shared. Each part is copied once. */
function copyDeep(value: Members): unknown {
  const known = new Map<object, Members>();
  const waiting: Members[] = [];
  const make = (from: Members): Members => {
    let made = known.get(from);
    if (made !== undefined) return made;
    if (!isPlain(from)) made = remadeInstance(from) as Members;
    else {
      made = Array.isArray(from) ? (from.slice() as unknown as Members) : remadeObject(from);
      waiting.push(made);
    }
    known.set(from, made);
    return made;
  };
  const root = make(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const [key, inner] of Object.entries(next)) if (isContainer(inner)) next[key] = make(inner);
  return root;
}

function remadeObject(value: Members): Members {
  return Object.getPrototypeOf(value) === null ? Object.assign(Object.create(null), value) : { ...value };
}

/** What a map or set holds is copied where that is not another one: those are shared. */
function remadeInstance(value: object): object {
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof Map)
    return new Map(Array.from(value, ([key, held]) => [copyHeld(key), copyHeld(held)]));
  if (value instanceof Set) return new Set(Array.from(value, copyHeld));
  return value instanceof Uint8Array ? value.slice() : value;
}

function copyHeld(value: unknown): unknown {
  return value instanceof Map || value instanceof Set ? value : copy(value);
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
