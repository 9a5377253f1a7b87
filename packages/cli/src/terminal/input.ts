import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { ToolrigError } from "@toolrig/core";
import { messageOf, parseStrict } from "@toolrig/core/kit";
import { note } from "./output.ts";

/** All of standard input. A person at a terminal is told that it is being read. */
export async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) note("Reading standard input; end it with Ctrl-D.", "dim");
  return text(process.stdin);
}

/** The text of a file that was named, or of standard input where none was. Throws `OPTION_INVALID`. */
export async function readText(file: string | undefined): Promise<string> {
  if (file === undefined || file === "-") return readStdin();
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new ToolrigError("OPTION_INVALID", `FILE must be a readable file: ${messageOf(error)}.`);
  }
}

/** The JSON in a file. Throws `OPTION_INVALID`, naming the option, for a file that cannot be read or parsed. */
export async function readJsonFile(file: string, option: string): Promise<unknown> {
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (error) {
    throw new ToolrigError("OPTION_INVALID", `${option} must be a readable file: ${messageOf(error)}.`);
  }
  return parseJson(content, file, (problem) => `${option} must be a JSON file; ${problem}`);
}

/** The strict JSON of a text that a person gave. Throws `OPTION_INVALID`, naming the subject. */
export function parseJson(text: string, subject: string, told = (problem: string) => problem): unknown {
  const parsed = parseStrict(text, { subject });
  if (!parsed.ok) throw new ToolrigError("OPTION_INVALID", told(parsed.message));
  return parsed.value;
}

/** Throws `OPTION_INVALID` for JSON with a name twice in one object, of which a reader that repairs text would take the last. */
export function refuseRepeated(text: string, subject: string): void {
  const parsed = parseStrict(text, { subject });
  if (!parsed.ok && parsed.problem === "repeated-name")
    throw new ToolrigError("OPTION_INVALID", parsed.message);
}
