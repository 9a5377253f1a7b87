import { toPlain } from "@toolrig/core";

/** Any value as JSON text; null for undefined. What JSON cannot hold is named in its place. */
export function toJson(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return JSON.stringify(toPlain(value)) ?? null;
  }
}

/** The value of text that `toJson` wrote. */
export function fromJson(text: unknown): unknown {
  return typeof text === "string" ? JSON.parse(text) : undefined;
}
