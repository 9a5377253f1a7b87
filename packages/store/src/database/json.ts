import type { ToolResult } from "@toolrig/core";
import { messageOf, toPlain } from "@toolrig/core/kit";
import { damagedRow } from "./store-error.ts";

/** Any value as JSON text; null for undefined. What JSON cannot hold is named in its place. */
export function toJson(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return JSON.stringify(toPlain(value)) ?? null;
  }
}

/** An object as JSON text: "null" for one whose own `toJSON` makes nothing of it. */
export function objectToJson(value: object): string {
  return toJson(value) ?? "null";
}

/** A result as JSON text. A value of which JSON would show nothing, or every byte, is kept as what it looks like. */
export function resultToJson(result: ToolResult): string {
  const { value } = result;
  const isOpaque =
    value instanceof Map || value instanceof Set || value instanceof Error || ArrayBuffer.isView(value);
  return objectToJson(isOpaque ? { ...result, value: toPlain(value) } : result);
}

/** The value of text that `toJson` wrote. Throws `STORE_FAILED` for text that is something else by now. */
export function fromJson(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damagedRow(`no JSON (${messageOf(error)})`, error);
  }
}
