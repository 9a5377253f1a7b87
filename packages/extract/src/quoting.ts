import { isActing, isAskedAbout, isIntended, isOfExample } from "./acting.ts";
import { isPresented, isPresentedBy } from "./presenting.ts";

/** How far back, and how far ahead on the line, the scanner looks for signs that a call is shown and not made. */
export const CONTEXT = 200;

const OPENING_QUOTES = new Set(["'", "‘", "‚", "`", "\\", "("]);

/** What closes each quotation mark. Some marks open in one language and close in another. */
const CLOSING_QUOTES: ReadonlyMap<string, string> = new Map([
  ["“", "”"],
  ["„", "“”"],
  ["«", "»"],
  ["»", "«"],
  ["‹", "›"],
  ["›", "‹"],
  ["「", "」"],
  ["『", "』"],
  ["《", "》"],
  ["〈", "〉"],
  ["〝", "〞〟"],
]);

/** A token of the models' own, which sentences hardly hold. */
const TOKEN = /^(?:<[|｜]|\]<\]|\[TOOL_CALLS\])/;

/** Words with which a sentence announces an example or an explanation, whoever speaks. */
const SHOWS =
  /\b(?:for (?:example|instance)|such as|like (?:this|so)|looks? (?:something )?like|(?:show|explain|illustrate|demonstrate|describe|quote|cite|paste|repeat)(?:s|d|ing)?)\b/i;

/** Words with which a sentence describes calls, or warns of them, unless it says what the speaker is about to do. */
const EXPLAINS = new RegExp(
  `\\b(?:${[
    "examples?|samples?|snippets?|syntax|formats?|formatted|templates?|schemas?|definitions?|document(?:ed|ation)|docs",
    "pseudo-?code|hypothetical\\w*|i\\.e|written as|write it|how (?:to|you|it|one|this)|instead of",
    "(?:you|one|users?|models?|agents?|assistants?|they) (?:can|could|would|should|might|may|must)",
    "would (?:be|look|write|emit|output|return)|could (?:write|emit|output)",
    "payload|inject\\w+|malicious|attack\\w*|untrusted|(?:do not|don't|never) (?:run|execute|call|use)",
    "tool (?:results?|outputs?|responses?)|returned",
  ].join("|")})\\b`,
  "i",
);

/** A thing that holds text, and a verb that says what it holds. */
const REPORTS =
  /\b(?:page|e-?mail|body|file|document|web ?site|article|attachment|comment|issue|transcript|logs?|ticket|readme|prompt|text|string|message)\b[^\n]*\b(?:says?|said|contains?|contained|reads?|includes?|included|has|had|shows?|showed|instructs?|asks?|tells?|told)\b/i;

/** A word after which text is the object of a sentence. */
const MENTIONS =
  /\b(?:says?|said|reads?|contains?|writes?|written|wrote|outputs?|emits?|prints?|returns?|shows?|includes?|is|was|are|were|as|like|use|uses|using|(?:respond|reply|answer|start|begin|end)s? with)\s*$|\b(?:says?|reads?|contains?|writes?|outputs?|emits?|prints?|returns?|(?:respond|reply|answer)s? with):\s*$/i;

/** A sentence that is no more than a label or an instruction. */
const LABEL =
  /^[\s#*_]*(?:(?:the |tool |search |command )?(?:results?|outputs?|responses?|stdout|stderr|logs?)\W*$|to (?:call|invoke|use|run|make)\b)/i;

/** A verb whose subject is the text before it. */
const SUBJECT =
  /^[ \t]*(?:is|was|are|were|would|means|tells|shows|says|looks|and nothing|in (?:HTML|Markdown|XML))\b/;

/** How far behind an envelope the scanner looks for the rest of its sentence. */
export const REST = 32;

/** The rest of a sentence: some words in small letters, or, if the sentence began before, anything but another one. */
const REST_OF_SENTENCE = /^[ \t]*\p{Ll}\S*[ \t]+\S/u;
const REST_OF_BEGUN = /^(?:[ \t]*[\p{L}\d,，、（(]|[.;:!?。；：！？»”“›」』》)])/u;

/** A word between two envelopes: `<call> and <call>`. */
const JOINS = /^[ \t]*\p{L}{1,8}(?: \p{L}{1,8})?[ \t]*[<[{(]/u;

/** A line that stops within a sentence of at least two words. */
const BEGUN = /(?:\p{L}\S*[ \t]+[\p{L}\d][\p{L}\d'’-]*|\p{Lo}{2}|\p{Lo}[ \t]+)[,，、]?[ \t]*$/u;

/**
 * Whether what begins at `at` stands in quotation marks: right after an opening one, or after an odd number of double
 * ones on its line. `from` is where the text before it that counts begins.
 */
export function isQuoted(text: string, from: number, at: number): boolean {
  const before = text.slice(Math.max(from, at - CONTEXT), at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (OPENING_QUOTES.has(line.slice(-1)) || endsInQuotes(line)) return true;
  const trimmed = before.trimEnd();
  if (!CLOSING_QUOTES.has(trimmed.slice(-1))) return false;
  return endsInQuotes(trimmed.slice(trimmed.lastIndexOf("\n") + 1));
}

function endsInQuotes(line: string): boolean {
  let double = false;
  let closing: string | undefined;
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index);
    if (closing?.includes(character) === true) closing = undefined;
    else if (closing === undefined && !/[»›]\s/.test(line.slice(index, index + 2)))
      closing = CLOSING_QUOTES.get(character);
    if (character === '"' && !/\d/.test(line.charAt(index - 1))) double = !double;
  }
  return double || closing !== undefined;
}

/**
 * Whether the sentence that leads up to `at` describes what follows rather than leading to it: it announces an
 * example, reports what something says, presents it, asks about it, or has the call as its object. A sentence that has
 * ended says nothing else.
 */
export function isExplained(text: string, from: number, at: number): boolean {
  const whole = text.slice(Math.max(from, at - CONTEXT), at);
  const before = whole.trimEnd().replace(/\be\.\s?g\./gi, "for example");
  const sentence = lastSentence(before);
  if (isAskedAbout(lastQuestion(before))) return true;
  if (SHOWS.test(sentence) || MENTIONS.test(sentence) || isOfExample(sentence)) return true;
  if (isPresentedBy(paragraphTitle(whole), sentence)) return true;
  if (isIntended(sentence)) return false;
  if (EXPLAINS.test(sentence) || REPORTS.test(sentence) || LABEL.test(sentence)) return true;
  const token = TOKEN.test(text.slice(at, at + 12));
  if (isPresented(sentence)) return !(token && whole.endsWith(":"));
  return !token && isObject(whole, sentence);
}

/** Whether a sentence of some words stops in the middle of a line, and says nothing about what the speaker does. */
function isObject(whole: string, sentence: string): boolean {
  if (!/\p{L}[ \t]*$/u.test(whole)) return false;
  return /\S+\s+\S+\s+\S|[\p{Lo}]{4}/u.test(sentence) && !isActing(sentence);
}

function lastSentence(before: string): string {
  let start = 0;
  for (const boundary of before.matchAll(/[.!?](?=\s|$)|[。！？]|\n\s*\n/g))
    start = boundary.index + boundary[0].length;
  return before.slice(start);
}

/** The last sentence if it is a question. */
function lastQuestion(before: string): string {
  if (!/[?？]$/.test(before)) return "";
  return `${before
    .slice(0, -1)
    .split(/[.!?。！？\n]/)
    .at(-1)}?`;
}

/** The first line of the paragraph that `whole` ends in, if it announces the others; "" if it does not. */
function paragraphTitle(whole: string): string {
  const paragraph = whole.split(/\n[ \t]*\n/).at(-1) ?? "";
  return /^[^\n]*:[*_ \t]*(?=\n\s*\S)/.exec(paragraph)?.[0] ?? "";
}

/**
 * Whether the line goes on after what stands from `at` to `end` with the sentence that it is a part of. `from` is where
 * the text before it that counts begins.
 */
export function isSubject(text: string, from: number, at: number, end: number): boolean {
  const rest = (text.slice(end, end + REST).split("\n")[0] ?? "").trimEnd();
  if (SUBJECT.test(rest)) return true;
  if (JOINS.test(rest) || TOKEN.test(text.slice(at, at + 12))) return false;
  if (REST_OF_SENTENCE.test(rest)) return true;
  const line =
    text
      .slice(Math.max(from, at - CONTEXT), at)
      .split("\n")
      .at(-1) ?? "";
  return REST_OF_BEGUN.test(rest) && BEGUN.test(line);
}

/**
 * Whether a sentence, a label or a message begins at `at`: a place for a call, unlike the middle of a sentence or the
 * inside of an element that nobody knows.
 */
export function isAfterSentence(text: string, from: number, at: number): boolean {
  const before = text.slice(Math.max(from, at - CONTEXT), at);
  const trimmed = before.trimEnd();
  if (trimmed === "") return true;
  if (/<[a-z][^<>/|]*>$/i.test(trimmed)) return false;
  return before.slice(trimmed.length).includes("\n") || /(?:[.:!?…。：！？]|\|>)$/.test(trimmed);
}

/** Whether only spaces stand between the beginning of the line and `at`. */
export function isLineStart(text: string, from: number, at: number): boolean {
  const limit = Math.max(from, at - CONTEXT);
  let back = at - 1;
  while (back >= limit && (text.charCodeAt(back) === 32 || text.charCodeAt(back) === 9)) back--;
  return back < from || (back >= limit && text.charCodeAt(back) === 10);
}
