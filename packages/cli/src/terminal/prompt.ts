import { createInterface } from "node:readline/promises";

/** Whether somebody sits there who can be asked: they see what is written, and what they type comes here. */
export function isAttended(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** A line that somebody types. Undefined when the input ends, or `signal` aborts. */
export async function typedLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  // The terminal edits the line itself, and Ctrl-C stays what it is.
  const lines = createInterface({ input: process.stdin, terminal: false });
  const ended = new AbortController();
  lines.once("close", () => ended.abort());
  process.stderr.write(question);
  try {
    return (await lines.question("", { signal: AbortSignal.any([signal, ended.signal]) })).trim();
  } catch {
    process.stderr.write("\n");
    return undefined;
  } finally {
    lines.close();
  }
}
