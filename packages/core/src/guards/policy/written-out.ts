/** Stands for arguments of which a part cannot be written as JSON: nothing can be said of them. */
export const UNREADABLE = Symbol("unreadable");

/** Deeper than any condition is evaluated. */
const MAX_DEPTH = 800;

class Unreadable extends Error {}

/**
 * Arguments as JSON would have them, for conditions, which only know JSON: a schema library may have made dates, sets, maps
 * and big integers of what the model wrote. Plain ones are returned as they are.
 */
export function writtenOut(args: unknown): unknown {
  try {
    return written(args, 0);
  } catch {
    return UNREADABLE;
  }
}

function written(value: unknown, depth: number): unknown {
  if (typeof value === "object" && value !== null) {
    if (depth > MAX_DEPTH) throw new Unreadable();
    return Array.isArray(value) ? list(value, depth) : object(value, depth);
  }
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number" && !Number.isFinite(value)) throw new Unreadable();
  if (typeof value === "function" || typeof value === "symbol") throw new Unreadable();
  return value;
}

function list(items: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = written(items[index], depth + 1);
    if (item === items[index]) continue;
    copy ??= [...items];
    copy[index] = item;
  }
  return copy ?? items;
}

function object(value: object, depth: number): unknown {
  if (value instanceof Map) return written(Object.fromEntries(value), depth + 1);
  if (value instanceof Set) return written([...value], depth + 1);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return written(toJSON.call(value), depth + 1);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && Object.keys(value).length === 0)
    throw new Unreadable();
  return record(value as Record<string, unknown>, depth);
}

function record(value: Record<string, unknown>, depth: number): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const part = written(value[key], depth + 1);
    if (part === value[key]) continue;
    copy ??= { ...value };
    copy[key] = part;
  }
  return copy ?? value;
}
