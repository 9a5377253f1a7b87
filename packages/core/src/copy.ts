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

/** What becomes of a copy: its owner changes it, somebody is shown it, or anybody is told of it. */
type Use = "owned" | "shown" | "told";

/**
 * A copy of what passes between people who do not know each other: objects, lists, dates, maps, sets, bytes and addresses are
 * made anew, at every depth. Instances of other classes are shared: only they know how they are copied. Throws what
 * reading throws.
 */
export function copy<Value>(value: Value): Value {
  return isContainer(value) ? (copyFor("owned", value) as Value) : value;
}

/** The same for what cannot be refused: what cannot be read is named in its place. Never throws. */
export function safeCopy<Value>(value: Value): Value {
  try {
    return copy(value);
  } catch {
    return toPlain(value) as Value;
  }
}

/** For one who is to judge: a copy whose objects and lists cannot be changed. Dates and the like can, so each gets their own. Never throws. */
export function frozenCopy<Value>(value: Value): Value {
  if (!isContainer(value)) return value;
  try {
    return copyFor("shown", value) as Value;
  } catch {
    return freeze(safeCopy(value));
  }
}

/** For all who only look: data that none of them can change. An instance of a class is there as JSON would have it. Never throws. */
export function snapshot<Value>(value: Value): Value {
  if (!isContainer(value)) return value;
  try {
    return copyFor("told", value) as Value;
  } catch {
    return freeze(toPlain(value)) as Value;
  }
}

function copyFor(use: Use, value: Members): unknown {
  try {
    left = FEW;
    return copyAt(value, 0, use);
  } catch (error) {
    if (error !== TOO_MANY) throw error;
    return copyDeep(value, use);
  }
}

function copyAt(value: Members, depth: number, use: Use): unknown {
  if (depth > SHALLOW) return copyDeep(value, use);
  left -= 1;
  if (left < 0) throw TOO_MANY;
  if (CONSTANTS.has(value)) return value;
  if (Array.isArray(value)) return copyList(value, depth, use);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return copyInstance(value, use);
  const made = prototype === null ? remadeObject(value) : { ...value };
  for (const key in made) {
    const inner = made[key];
    if (typeof inner === "object" && inner !== null) made[key] = copyAt(inner as Members, depth + 1, use);
  }
  return use === "owned" ? made : Object.freeze(made);
}

function copyList(list: readonly unknown[], depth: number, use: Use): unknown[] {
  const made = list.slice();
  for (let index = 0; index < made.length; index++) {
    const inner = made[index];
    if (typeof inner === "object" && inner !== null) made[index] = copyAt(inner as Members, depth + 1, use);
  }
  return use === "owned" ? made : (Object.freeze(made) as unknown[]);
}

function copyInstance(value: Members, use: Use): unknown {
  if (use === "told") return freeze(toPlain(value));
  return value instanceof Map || value instanceof Set ? copyDeep(value, use) : remadeInstance(value);
}

/** By a list of what waits: for what is deep, leads back into itself or is shared. Each part is copied once. */
function copyDeep(value: Members, use: Use): unknown {
  const known = new Map<object, unknown>();
  const waiting: Members[] = [];
  const make = (from: unknown): unknown => {
    if (!isContainer(from)) return from;
    if (known.has(from)) return known.get(from);
    const made = isPlain(from) ? remadePlain(from) : use === "told" ? toPlain(from) : remadeInstance(from);
    known.set(from, made);
    if (isContainer(made) && made !== from) waiting.push(made);
    return made;
  };
  const root = make(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) fill(next, make);
  return use === "owned" ? root : freeze(root);
}

/** Puts copies in the place of what a copy has in common with the value it was made of. */
function fill(made: Members, copyOf: (part: unknown) => unknown): void {
  if (made instanceof Map) {
    const held = [...made];
    made.clear();
    for (const [key, inner] of held) made.set(copyOf(key), copyOf(inner));
  } else if (made instanceof Set) {
    const held = [...made];
    made.clear();
    for (const inner of held) made.add(copyOf(inner));
  } else if (isPlain(made))
    for (const [key, inner] of Object.entries(made)) if (isContainer(inner)) made[key] = copyOf(inner);
}

function remadePlain(value: Members): Members {
  return Array.isArray(value) ? (value.slice() as unknown as Members) : remadeObject(value);
}

function remadeObject(value: Members): Members {
  return Object.getPrototypeOf(value) === null ? Object.assign(Object.create(null), value) : { ...value };
}

/** A Buffer's own slice is a view of the same bytes. */
const { slice } = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;

function remadeInstance(value: object): object {
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof Map) return new Map(value);
  if (value instanceof Set) return new Set(value);
  if (value instanceof URL) return new URL(value);
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (value instanceof DataView)
    return new DataView(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength));
  return ArrayBuffer.isView(value) ? slice.call(value as Uint8Array) : value;
}

/** Makes objects and lists unchangeable, at every depth. What is frozen already is taken to be so throughout: for what was made here. */
export function freeze<Value>(value: Value): Value {
  freezeAt(value, 0);
  return value;
}

function freezeAt(value: unknown, depth: number): void {
  if (!isContainer(value) || Object.isFrozen(value) || !isPlain(value)) return;
  if (depth > SHALLOW) {
    hardenDeep(value);
    return;
  }
  Object.freeze(value);
  if (Array.isArray(value))
    for (let index = 0; index < value.length; index++) freezeAt(value[index], depth + 1);
  else for (const key in value) freezeAt(value[key], depth + 1);
}

/**
 * The same for what somebody else made, who may have frozen the outside of it alone. False where it can still be changed
 * then, because there is an instance of a class in it: it is not to be shown, but copies of it.
 */
export function harden(value: unknown): boolean {
  if (!isContainer(value)) return true;
  try {
    left = FEW;
    return hardenAt(value, 0);
  } catch (error) {
    if (error !== TOO_MANY) throw error;
    return hardenDeep(value);
  }
}

function hardenAt(value: Members, depth: number): boolean {
  left -= 1;
  if (left < 0 || depth > SHALLOW) throw TOO_MANY;
  if (CONSTANTS.has(value)) return true;
  if (!isPlain(value)) return false;
  Object.freeze(value);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++)
      if (isContainer(value[index]) && !hardenAt(value[index], depth + 1)) return false;
    return true;
  }
  for (const key in value) {
    const inner = value[key];
    if (isContainer(inner) && !hardenAt(inner, depth + 1)) return false;
  }
  return true;
}

function hardenDeep(value: Members): boolean {
  const seen = new Set([value]);
  let isWhole = true;
  for (const next of seen) {
    if (!isPlain(next)) isWhole = false;
    else for (const inner of Object.values(Object.freeze(next))) if (isContainer(inner)) seen.add(inner);
  }
  return isWhole;
}

function isContainer(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
