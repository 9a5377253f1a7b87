import type { Stats } from "node:fs";
import type { ToolContext } from "@toolrig/core";

/** Who reads and writes: a run, or the calls of a principal that belong to none. */
type Reader = Pick<ToolContext, "runId" | "principal">;

/** How many are remembered in this process. The oldest go first: then a write is not compared with anything. */
const MAX_MARKS = 10_000;
const marks = new Map<string, string>();

/** Which content a file has, as far as its file system tells. */
export function contentState({ dev, ino, size, mtimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs].join(":");
}

/** Remembers in which state the run knows a file. */
export function markRead(reader: Reader, real: string, state: string): void {
  const key = keyOf(reader, real);
  marks.delete(key);
  marks.set(key, state);
  if (marks.size <= MAX_MARKS) return;
  const [oldest] = marks.keys();
  if (oldest !== undefined) marks.delete(oldest);
}

/** The state in which the run knows a file. Undefined when it has not read it. */
export function stateRead(reader: Reader, real: string): string | undefined {
  return marks.get(keyOf(reader, real));
}

function keyOf({ runId, principal }: Reader, real: string): string {
  return JSON.stringify([runId ?? null, principal?.id ?? null, real]);
}
