import { styleText } from "node:util";
import { toPlain } from "@toolrig/core/kit";
import { type Stream, widthOf } from "./streams.ts";
import { wrap } from "./wrap.ts";

export type Tone = "plain" | "strong" | "dim" | "good" | "warn" | "bad";

const FORMAT = {
  plain: "reset",
  strong: "bold",
  dim: "dim",
  good: "green",
  warn: "yellow",
  bad: "red",
} as const satisfies Record<Tone, string>;

let clearLiveLine = () => {};
/** What is kept back while somebody is asked something. */
let held: (() => void)[] | undefined;

/** From now on nothing else is written, until the function that is given back is called: then what was kept back is. */
export function holdOutput(): () => void {
  clearLiveLine();
  held ??= [];
  return releaseOutput;
}

function releaseOutput(): void {
  const kept = held ?? [];
  held = undefined;
  for (const write of kept) write();
}

export function isHeld(): boolean {
  return held !== undefined;
}

function write(name: Stream, text: string): void {
  if (held !== undefined) {
    held.push(() => write(name, text));
    return;
  }
  clearLiveLine();
  process[name].write(text);
}

/** For a line that is drawn in place: `clear` removes it before anything else is written. */
export function keepClear(clear: () => void): void {
  clearLiveLine = clear;
}

/** Data. A terminal gets it with control characters made visible, everything else as it is. */
export function print(text: string): void {
  stream(`${text}\n`);
}

/** Data that comes piece by piece. */
export function stream(text: string): void {
  write("stdout", process.stdout.isTTY ? visible(text) : text);
}

/** Lines that were styled here, made of text that `visible` has been applied to. */
export function printStyled(lines: readonly string[], stream: Stream = "stdout"): void {
  if (lines.length > 0) write(stream, `${lines.join("\n")}\n`);
}

/** Progress and problems, on standard error. A terminal gets it broken between words. */
export function note(text: string, tone: Tone = "plain"): void {
  const lines = visible(text).split("\n");
  const shown = process.stderr.isTTY ? lines.flatMap((line) => wrap(line, widthOf("stderr"))) : lines;
  printStyled([paint(shown.join("\n"), tone, "stderr")], "stderr");
}

/** How long a line may be: as the terminal is wide, and for programs as long as it is. */
export function roomOf(stream: Stream): number {
  return process[stream].isTTY ? widthOf(stream) : Number.POSITIVE_INFINITY;
}

/** One line for programs, indented for people. Whatever the value holds, this does not throw. */
export function printJson(value: unknown): void {
  write("stdout", `${jsonText(value, process.stdout.isTTY ? 2 : undefined)}\n`);
}

/** A value as JSON. What could steer a terminal or hide in it is escaped, which means the same to a program. */
export function jsonText(value: unknown, indent?: number): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value, undefined, indent);
  } catch {
    json = JSON.stringify(toPlain(value), undefined, indent);
  }
  if (json === undefined) return "null";
  return json.replace(UNSAFE, escaped);
}

/** Colours text where the stream is a terminal that wants colour; NO_COLOR and FORCE_COLOR are respected. */
export function paint(text: string, tone: Tone, stream: Stream = "stdout"): string {
  return tone === "plain" ? text : styleText(FORMAT[tone], text, { stream: process[stream] });
}

/**
 * What steers a terminal, changes the direction of what is read, or is not seen: control characters other than tab and line
 * feed, marks of direction, separators of lines, characters without width, and tags. The joiners of scripts and emoji stay.
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Text that shows what it holds: control characters become signs, what could not be seen is spelt out. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : code < 0xa0 ? "\ufffd" : escaped(character);
  });
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}

/** Whether progress is shown: somebody watches, or asked for it. */
export function showsProgress(verbose: boolean | undefined): boolean {
  return verbose === true || process.stderr.isTTY === true;
}

/** Resolves when everything printed so far has left the process or cannot. */
export async function flush(): Promise<void> {
  releaseOutput();
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => stream.write("", () => resolve()));
  }
}
