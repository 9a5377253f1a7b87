import { isPlainObject } from "./is-record.ts";

export const NO_OUTPUT = "(no output)";

/** Text for any value. Never throws: what cannot be serialised is named in its place. */
export function renderText(value: unknown): string {
  try {
    return jsonText(value);
  } catch {
    return renderPlain(value);
  }
}

/** As `renderText`, but throws for a value that JSON cannot hold. */
export function jsonText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && hidesSomething(value, 0)) return renderPlain(value);
  return value === undefined ? NO_OUTPUT : (JSON.stringify(value) ?? NO_OUTPUT);
}

/** Whether JSON would show nothing of a value or of a part of it, or every byte. */
function hidesSomething(value: object | null, depth: number): boolean {
  if (value === null || depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (isHidden(value[index], depth)) return true;
    return false;
  }
  if (!isPlainObject(value) && isOpaque(value)) return true;
  for (const key in value) if (isHidden((value as Record<string, unknown>)[key], depth)) return true;
  return false;
}

function isHidden(value: unknown, depth: number): boolean {
  return typeof value === "object" && hidesSomething(value, depth + 1);
}

/** An instance of a class that keeps what it holds to itself. */
function isOpaque(value: object): boolean {
  if (value instanceof Map || value instanceof Set || value instanceof Error || ArrayBuffer.isView(value))
    return true;
  return typeof (value as { toJSON?: unknown }).toJSON !== "function" && Object.keys(value).length === 0;
}

function renderPlain(value: unknown): string {
  try {
    return JSON.stringify(toPlain(value)) ?? NO_OUTPUT;
  } catch (error) {
    return `[unreadable: ${messageOf(error)}]`;
  }
}

const MAX_DEPTH = 64;

/**
 * A copy of any value that JSON can hold: cycles, big integers, throwing getters and hostile proxies become text that
 * names them. Slow; only for values that `JSON.stringify` refuses.
 */
export function toPlain(value: unknown): unknown {
  const ancestors = new Set<object>();

  function copy(current: unknown, depth: number): unknown {
    if (typeof current === "bigint") return current.toString();
    if (typeof current !== "object" || current === null) return current;
    if (ancestors.has(current)) return "[circular]";
    if (depth >= MAX_DEPTH) return "[too deep]";
    ancestors.add(current);
    try {
      return copyObject(current, depth);
    } catch (error) {
      return `[unreadable: ${messageOf(error)}]`;
    } finally {
      ancestors.delete(current);
    }
  }

  function copyObject(current: object, depth: number): unknown {
    if (Array.isArray(current)) return current.map((item) => copy(item, depth + 1));
    if (ArrayBuffer.isView(current)) return `[${current.byteLength} bytes]`;
    if (current instanceof Map) return copy(Object.fromEntries(current), depth);
    if (current instanceof Set) return copy([...current], depth);
    if (current instanceof Error) return `${current.name}: ${messageOf(current)}`;
    const json = (current as { toJSON?: unknown }).toJSON;
    if (typeof json === "function") return copy(json.call(current), depth + 1);
    if (!isPlainObject(current) && isOpaque(current)) return nameOf(current);
    const entries = Object.keys(current).map((key): [string, unknown] => [key, read(current, key, depth)]);
    return Object.fromEntries(entries);
  }

  function read(from: object, key: string, depth: number): unknown {
    try {
      return copy((from as Record<string, unknown>)[key], depth + 1);
    } catch (error) {
      return `[unreadable: ${messageOf(error)}]`;
    }
  }

  return copy(value, 0);
}

/** An instance of which nothing can be seen: `[Response]`. */
function nameOf(value: object): string {
  const { name } = value.constructor ?? {};
  return `[${typeof name === "string" && name !== "" ? name : "object"}]`;
}

/** The message of anything that can be thrown. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === "string") return thrown;
    if (typeof thrown === "object" && thrown !== null) {
      const { message } = thrown as { message?: unknown };
      if (typeof message === "string" && message !== "") return message;
      const name = (thrown as { name?: unknown }).name;
      return typeof name === "string" && name !== "" ? name : renderText(toPlain(thrown));
    }
    return String(thrown);
  } catch {
    return "unprintable error";
  }
}
