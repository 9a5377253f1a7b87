import { validation } from "@toolrig/core";
import { nearestLines } from "./nearest-lines.ts";
import { oneLine } from "./output.ts";

export interface Edit {
  old: string;
  new: string;
  replaceAll?: boolean;
}

/** What a text may become: a few edits can double it over and over. */
const MAX_LENGTH = 32 * 1024 * 1024;
/** How many places a message names. */
const MAX_NAMED = 10;
const MAX_SHOWN_LINES = 20;
const MAX_SHOWN_LINE = 300;

/**
 * The text after all edits, each made on what the one before left. Throws a failure for the first that cannot be made: then
 * none is. In a text whose lines all end in CR LF, line ends of the edits count as that.
 */
export function applyEdits(
  text: string,
  edits: readonly Edit[],
  shown: string,
): { text: string; places: number } {
  const isCrlf = text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text);
  let [after, places] = [text, 0];
  for (const [index, edit] of edits.entries()) {
    const old = isCrlf ? toCrlf(edit.old) : edit.old;
    const replacement = isCrlf ? toCrlf(edit.new) : edit.new;
    const which = edits.length === 1 ? "" : `Edit ${index + 1} of ${edits.length}: `;
    const fail = (problem: string) =>
      validation(`${which}${problem}${edits.length > 1 ? "\nNo edit was made." : ""}`);
    if (old === replacement) throw fail("old and new are the same text.");
    const found = occurrences(after, old);
    if (found.count === 0) throw fail(notFound(after, edit.old, shown));
    if (found.count > 1 && edit.replaceAll !== true) throw fail(ambiguous(found, shown));
    if (after.length + found.count * (replacement.length - old.length) > MAX_LENGTH)
      throw fail(`the file would become longer than ${MAX_LENGTH} characters.`);
    places += found.count;
    after = after.replaceAll(old, () => replacement);
  }
  return { text: after, places };
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

interface Occurrences {
  readonly count: number;
  /** Of the first few. */
  readonly lines: readonly number[];
}

function occurrences(text: string, wanted: string): Occurrences {
  const lines: number[] = [];
  let [count, line, counted] = [0, 1, 0];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    count += 1;
    if (count > MAX_NAMED) continue;
    line += text.slice(counted, at).split("\n").length - 1;
    counted = at;
    lines.push(line);
  }
  return { count, lines };
}

function ambiguous({ count, lines }: Occurrences, shown: string): string {
  return (
    `the text occurs ${count} times in ${shown}, first at line ${lines.join(", ")}. ` +
    "Take in more of the lines around it, or set replaceAll."
  );
}

function notFound(text: string, old: string, shown: string): string {
  const nearest = nearestLines(text, old);
  if (nearest === undefined) return `the text does not occur in ${shown}, and nothing in it is like it.`;
  const { first, last, lines, likeness, spacing } = nearest;
  const shownLines = lines
    .slice(0, MAX_SHOWN_LINES)
    .map((line, at) => `${first + at} | ${oneLine(line.slice(0, MAX_SHOWN_LINE))}`);
  if (lines.length > MAX_SHOWN_LINES) shownLines.push("…");
  const where = first === last ? `line ${first}` : `lines ${first} to ${last}`;
  const how = spacing ? "the same but for white space" : `${Math.round(likeness * 100)} % alike`;
  return `the text does not occur in ${shown}. The nearest is at ${where}, ${how}:\n${shownLines.join("\n")}`;
}
