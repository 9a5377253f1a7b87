import { validation } from "@toolrig/core";
import { nearestLines } from "./nearest-lines.ts";
import { occurrencesOf } from "./occurrences.ts";
import { escapeLine } from "./output.ts";

export interface Edit {
  old: string;
  new: string;
  replaceAll?: boolean;
}

/** What a text may become: a few edits can double it over and over. */
const MAX_LENGTH = 32 * 1024 * 1024;
/** What all edits of a call may change. */
const MAX_PLACES = 1_000_000;
/** How many places a message names. */
const MAX_NAMED = 10;
/** Occurrences that are counted of a text that should occur once. */
const MAX_COUNTED = 1_000;
const MAX_SHOWN_LINES = 20;
const MAX_SHOWN_LINE = 300;

/**
 * The text after all edits, each made on what the one before left. Throws a failure for the first that cannot be made: then
 * none is. In a text whose lines all end in CR LF, line ends of the edits count as that.
 */
export async function applyEdits(
  text: string,
  edits: readonly Edit[],
  { shown, signal }: { shown: string; signal: AbortSignal },
): Promise<{ text: string; places: number }> {
  const isCrlf = text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text);
  let [after, places] = [text, 0];
  for (const [index, edit] of edits.entries()) {
    const old = isCrlf ? toCrlf(edit.old) : edit.old;
    const replacement = isCrlf ? toCrlf(edit.new) : edit.new;
    const which = edits.length === 1 ? "" : `Edit ${index + 1} of ${edits.length}: `;
    const fail = (problem: string) =>
      validation(`${which}${problem}${edits.length > 1 ? "\nNo edit was made." : ""}`);
    if (!old.isWellFormed() || !replacement.isWellFormed())
      throw fail("old or new holds half a character (a lone surrogate), which no file can.");
    if (old === replacement) throw fail("old and new are the same text.");
    const all = edit.replaceAll === true;
    const most = all ? MAX_PLACES - places : MAX_COUNTED;
    const found = await occurrencesOf(old, after, { overlapping: !all, most, signal });
    if (found.length === 0) throw fail(notFound(after, edit.old, shown));
    if (found.length > 1 && !all) throw fail(ambiguous(after, found, shown));
    if (found.length > most) throw fail(`more than ${MAX_PLACES} places would be changed by one call.`);
    if (after.length + found.length * (replacement.length - old.length) > MAX_LENGTH)
      throw fail(`the file would become longer than ${MAX_LENGTH} characters.`);
    places += found.length;
    after = replaced(after, found, old.length, replacement);
  }
  return { text: after, places };
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

function replaced(text: string, places: readonly number[], length: number, replacement: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const at of places) {
    parts.push(text.slice(from, at), replacement);
    from = at + length;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

function ambiguous(text: string, found: readonly number[], shown: string): string {
  let [line, counted] = [1, 0];
  const lines = found.slice(0, MAX_NAMED).map((at) => {
    line += text.slice(counted, at).split("\n").length - 1;
    counted = at;
    return line;
  });
  const count = found.length > MAX_COUNTED ? `more than ${MAX_COUNTED}` : found.length;
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
    .map((line, at) => `${first + at} | ${escapeLine(line.slice(0, MAX_SHOWN_LINE))}`);
  if (lines.length > MAX_SHOWN_LINES) shownLines.push("…");
  const where = first === last ? `line ${first}` : `lines ${first} to ${last}`;
  const how = spacing ? "the same but for white space" : `${Math.round(likeness * 100)} % alike`;
  const difference = spacing ? differenceIn(text, lines.join("\n"), old) : "";
  return `the text does not occur in ${shown}. The nearest is at ${where}, ${how}:\n${shownLines.join("\n")}${difference}`;
}

/** Names white space that looks like other white space. Empty where the lines show the difference. */
function differenceIn(text: string, found: string, old: string): string {
  const notes: string[] = [];
  if (/\r\n/.test(text) && /(?:^|[^\r])\n/.test(text) && /\n/.test(old))
    notes.push("Some lines of the file end in CR LF and some in LF: edit each line on its own.");
  const odd = oddSpaces(found);
  if (odd !== oddSpaces(old))
    notes.push(
      `The file has ${odd === "" ? "ordinary spaces" : odd} there, the old text ${oddSpaces(old) || "ordinary spaces"}.`,
    );
  return notes.length === 0 ? "" : `\n${notes.join("\n")}`;
}

/** Spaces that are drawn like the ordinary one, spelt out. */
function oddSpaces(text: string): string {
  const found = new Set(text.match(/(?! )\p{Zs}/gu));
  return [...found]
    .map((space) => `U+${space.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`)
    .join(", ");
}
