import type { Ended } from "../messages.ts";
import type { CodeError } from "../run.ts";

/** Names the prelude in stacks, from which it is left out. */
export const PRELUDE_FILE = "toolrig:prelude";

/** The second is what built-ins throw that had no memory left for an error. */
const OUT_OF_MEMORY = ["out of memory", "[uninitialized]"];

/**
 * What was thrown, as the prelude described it, with its place in the code. `before` is what stands on the first line before
 * the code. What the engine throws when its heap is full is the limit.
 */
export function thrown(said: string, filename: string, before: number): Ended {
  const { name, message, stack, details } = JSON.parse(said) as Record<string, unknown>;
  const error = { name: line(name, 200), message: line(message, 10_001) };
  if (OUT_OF_MEMORY.includes(error.message)) return { as: "limit", limit: "memory" };
  const frames = line(stack, 10_001)
    .split("\n")
    .filter((frame) => frame.trim() !== "" && !frame.includes(PRELUDE_FILE))
    .map((frame) => shifted(frame, filename, before));
  const described: CodeError = {
    ...error,
    stack: frames.join("\n"),
    ...placeIn(frames, filename),
    ...(typeof details === "string" && { details: own(details) }),
  };
  return { as: "threw", text: JSON.stringify(described) };
}

function line(value: unknown, most: number): string {
  return String(value ?? "")
    .slice(0, most)
    .toWellFormed();
}

/** Own fields of an object; anything else that an error became by its `toJSON` is its value. */
function own(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : { value };
}

function shifted(frame: string, filename: string, before: number): string {
  const place = `${filename}:1:`;
  const at = frame.lastIndexOf(place);
  if (at < 0) return frame;
  const from = at + place.length;
  return (
    frame.slice(0, from) +
    frame.slice(from).replace(/^\d+/, (column) => String(Math.max(1, Number(column) - before)))
  );
}

function placeIn(frames: readonly string[], filename: string): { line?: number; column?: number } {
  for (const frame of frames) {
    const at = frame.lastIndexOf(`${filename}:`);
    if (at < 0) continue;
    const [, row, column] = /^(\d+):(\d+)/.exec(frame.slice(at + filename.length + 1)) ?? [];
    if (row !== undefined) return { line: Number(row), column: Number(column) };
  }
  return {};
}
