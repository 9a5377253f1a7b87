import { ToolrigError } from "../failure/failure.ts";
import type { Matcher } from "./pattern.ts";

/** What is gathered while a schema is read. */
export interface Reading {
  trusted: boolean;
  references: boolean;
  patterns: Map<string, Matcher>;
  size: number;
  uncompilable: boolean;
}

/** Subschemas, enum values and required names that a schema may have altogether. */
const MAX_SIZE = 100_000;

export function grow(reading: Reading, by: number, at: string): void {
  reading.size += by;
  if (reading.size > MAX_SIZE)
    throw invalid(at, `makes the schema larger than ${MAX_SIZE} subschemas and values`);
}

/** The error for a schema that cannot be used; `at` is a JSON Pointer into it. */
export function invalid(at: string, problem: string, cause?: unknown): ToolrigError {
  const place = at === "#" ? "the schema" : `the schema at ${at.slice(0, 200)}`;
  return new ToolrigError(
    "SCHEMA_INVALID",
    `${place} ${problem}.`,
    cause === undefined ? undefined : { cause },
  );
}

/** A keyword whose value makes no sense: a mistake in a trusted schema, without meaning in an untrusted one. */
export function malformed(reading: Reading, at: string, expected: string, received: unknown): undefined {
  if (!reading.trusted) return undefined;
  const text = JSON.stringify(received) ?? String(received);
  throw invalid(at, `must be ${expected}, not ${text.length > 60 ? `${text.slice(0, 57)}...` : text}`);
}
