import { isPresented } from "./presenting.ts";

/** How far back, and how far ahead on the line, the scanner looks for signs that a call is shown and not made. */
export const CONTEXT = 200;

const OPENING_QUOTES = new Set(["'", "‘", "«", "「", "『", "‹", "`", "\\", "("]);

/** Words with which a sentence announces an example or an explanation, whoever speaks. */
const SHOWS =
  /\b(?:for (?:example|instance)|such as|like (?:this|so)|looks? (?:something )?like|(?:show|explain|illustrate|demonstrate|describe|quote|cite|paste|repeat)(?:s|d|ing)?)\b/i;

/** A sentence that says what the speaker is about to do. */
const INTENDS =
  /\b(?:let me|let's|let us|(?:i|we)(?:'ll| will| need to| have to| want to| should| must|'m going to| am going to|'re going to| are going to))\b/i;

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

/**
 * Whether what begins at `at` stands in quotation marks: right after an opening one, or after an odd number of double
 * ones on its line. `from` is where the text before it that counts begins.
 */
export function isQuoted(text: string, from: number, at: number): boolean {
  const before = text.slice(Math.max(from, at - CONTEXT), at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (OPENING_QUOTES.has(line.slice(-1))) return true;
  let open = false;
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index);
    if (character === '"' && !/\d/.test(line.charAt(index - 1))) open = !open;
    else if (character === "“") open = true;
    else if (character === "”") open = false;
  }
  return open;
}

/**
 * Whether the sentence that leads up to `at` describes what follows rather than leading to it: it announces an
 * example, reports what something says, presents it as what a file or a log holds, or has the call as its object. A
 * sentence that has ended says nothing.
 */
export function isExplained(text: string, from: number, at: number): boolean {
  const whole = text.slice(Math.max(from, at - CONTEXT), at);
  const before = whole.trimEnd().replace(/\be\.\s?g\./gi, "for example");
  let start = 0;
  for (const boundary of before.matchAll(/[.!?](?=\s|$)|\n\s*\n/g))
    start = boundary.index + boundary[0].length;
  const sentence = before.slice(start);
  if (SHOWS.test(sentence) || MENTIONS.test(sentence)) return true;
  const title = paragraphTitle(whole);
  if (isPresented(title) && !INTENDS.test(title)) return true;
  if (INTENDS.test(sentence)) return false;
  if (EXPLAINS.test(sentence) || REPORTS.test(sentence) || LABEL.test(sentence)) return true;
  if (isPresented(sentence)) return true;
  return sentence.endsWith(":") && /\n[ \t]*\n(?: {4,}|\t)[ \t]*$/.test(whole);
}

/** The first line of the paragraph that `whole` ends in, if it announces the others; "" if it does not. */
function paragraphTitle(whole: string): string {
  const paragraph = whole.split(/\n[ \t]*\n/).at(-1) ?? "";
  return /^[^\n]*:[*_ \t]*(?=\n\s*\S)/.exec(paragraph)?.[0] ?? "";
}

/** Whether the line goes on after `end` with a sentence of which the text before is the subject. */
export function isSubject(text: string, end: number): boolean {
  return SUBJECT.test(text.slice(end, end + 16));
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
  return before.slice(trimmed.length).includes("\n") || /(?:[.:!?…。：]|\|>)$/.test(trimmed);
}

/** Whether only spaces stand between the beginning of the line and `at`. */
export function isLineStart(text: string, from: number, at: number): boolean {
  const limit = Math.max(from, at - CONTEXT);
  let back = at - 1;
  while (back >= limit && (text.charCodeAt(back) === 32 || text.charCodeAt(back) === 9)) back--;
  return back < from || (back >= limit && text.charCodeAt(back) === 10);
}
