import {
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isCloser,
  isDigit,
  isNamePart,
  isQuote,
  isSpace,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
} from "./characters.ts";
import { degreeOfPreface, degreeOfRest } from "./degree.ts";
import {
  type Answer,
  atEnd,
  commentAt,
  keyAt,
  literalAt,
  NO,
  nextQuote,
  pastSpace,
  YES,
} from "./lookahead.ts";
import { closeAll } from "./parse.ts";
import { run } from "./run.ts";
import { ARRAY, OBJECT, type SchemaHint } from "./schema-hint.ts";
import { KEY, ParserState, type StateOptions, VALUE } from "./state.ts";
import { skipTrivia } from "./trivia.ts";

export interface DocumentOptions extends StateOptions {
  /** The text is known to be cut off. */
  truncated: boolean;
}

/**
 * Finds and parses the document in a text that may have prose, fences and further documents around it. Undefined when
 * there is none. Every candidate is looked for after the end of the one before, so that the whole stays linear.
 */
export function parseDocument(text: string, options: DocumentOptions): ParserState | undefined {
  const before = new ParserState(text, 0, options);
  skipTrivia(before);
  const start = before.pos;
  if (start >= text.length) return undefined;
  const search = new Search(text, before, options);
  const container = search.firstObject(start);
  if (container !== undefined) return search.withSurroundings(container);
  const lone = isQuote(text.charCodeAt(start)) ? search.lone(start) : undefined;
  if (lone !== undefined) return lone;
  const unsure = search.fallback ?? search.firstWeak(start);
  return unsure === undefined ? search.lone(start) : search.withSurroundings(unsure);
}

/** The candidates for the document, most convincing first. */
class Search {
  private readonly text: string;
  private readonly before: ParserState;
  private readonly options: DocumentOptions;
  /** A candidate that may be the document if there is no better one. */
  fallback: ParserState | undefined;

  constructor(text: string, before: ParserState, options: DocumentOptions) {
    this.text = text;
    this.before = before;
    this.options = options;
  }

  /** The first object or array that reads as JSON: at the very start, in a fence, or anywhere. */
  firstObject(start: number): ParserState | undefined {
    const atStart = opensDocument(this.before, start, YES) === YES;
    const fenced = atStart ? -1 : fencedOpener(this.before, start);
    let at = atStart ? start : fenced >= 0 ? fenced : this.nextOpener(start);
    while (at >= 0) {
      const state = this.parse(at);
      const sure = at === start || at === fenced;
      if (this.suits(state, sure)) return state;
      if (this.fallback === undefined || (isEmpty(this.fallback.root) && !isEmpty(state.root)))
        this.fallback = state;
      at = state.cut ? -1 : this.nextOpener(state.pos);
    }
    return undefined;
  }

  /** Whether a candidate is the document. Empty and plain arrays in prose may be something else, such as a footnote. */
  private suits(state: ParserState, sure: boolean): boolean {
    const hint = this.options.hint;
    if (hint?.demands(OBJECT)) return isFitting(state.root, hint);
    if (hint?.demands(ARRAY)) return Array.isArray(state.root);
    return sure || (!isEmpty(state.root) && !(Array.isArray(state.root) && state.root.every(isScalar)));
  }

  private nextOpener(from: number): number {
    for (let i = from; i < this.text.length; i++) {
      const code = this.text.charCodeAt(i);
      if ((code === OPEN_BRACE || code === OPEN_BRACKET) && opensDocument(this.before, i, NO) === YES)
        return i;
    }
    return -1;
  }

  /** A bracket at the very start that does not look like JSON, but nothing else does either. */
  firstWeak(start: number): ParserState | undefined {
    const code = this.text.charCodeAt(start);
    return code === OPEN_BRACE || code === OPEN_BRACKET ? this.parse(start) : undefined;
  }

  /** A text that is nothing but a string, number, literal or single word. */
  lone(start: number): ParserState | undefined {
    if (this.options.hint?.demands(OBJECT | ARRAY)) return undefined;
    const code = this.text.charCodeAt(start);
    if (isCloser(code) || code === COMMA) return undefined;
    const state = this.withSurroundings(this.parse(start));
    if (state.refused >= 0) return state;
    if (state.root === undefined || state.repairs.has("surrounding-text")) return undefined;
    if (isQuote(code) || code === BACKSLASH || typeof state.root !== "string") return state;
    return /^\S*[\p{L}\p{N}]\S*$/u.test(state.root) ? state : undefined;
  }

  private parse(at: number): ParserState {
    const state = new ParserState(this.text, at, this.options);
    state.truncated = this.options.truncated;
    state.codes = this.before.plainCodes();
    reportBefore(state, this.before.pos, at);
    if (!run(state) && state.refused < 0) closeAll(state);
    return state;
  }

  /** Completes the document that was chosen with what stands before and after it. */
  withSurroundings(state: ParserState): ParserState {
    state.repairs.precede(this.before.repairs);
    if (!state.cut) parseRest(state, this.options);
    return state;
  }
}

function reportBefore(s: ParserState, from: number, to: number): void {
  if (to <= from) return;
  const dropped = s.text.slice(from, to);
  const isFence = /^\s*`{3,}[\w+-]*\s*$/.test(dropped.slice(0, 100));
  if (isFence) s.report("fence", from, dropped, "");
  else s.report("surrounding-text", from, dropped, "", degreeOfPreface(dropped));
}

/** Reads on after the document: closers and fences to drop, members or documents that belong to it, other text. */
function parseRest(s: ParserState, options: DocumentOptions): void {
  while (skipTrivia(s) && s.pos < s.end && s.refused < 0) {
    const code = s.text.charCodeAt(s.pos);
    if (isCloser(code)) dropClosers(s);
    else if (reopens(s)) reopen(s);
    else if (
      code === PLUS &&
      typeof s.root === "string" &&
      isQuote(s.text.charCodeAt(pastSpace(s, s.pos + 1)))
    )
      join(s);
    else if (code === COMMA && !options.hint?.demands(OBJECT) && valueAfterComma(s)) wrap(s);
    else dropRest(s);
  }
}

function dropClosers(s: ParserState): void {
  const from = s.pos;
  while (s.pos < s.end && (isCloser(s.text.charCodeAt(s.pos)) || isSpace(s.text.charCodeAt(s.pos)))) s.pos++;
  s.report("extra-closer", from, s.text.slice(from, s.pos), "");
}

/** Whether an object goes on after its closing bracket: with a comma and a key, or with a quoted key. */
function reopens(s: ParserState): boolean {
  if (typeof s.root !== "object" || s.root === null || Array.isArray(s.root)) return false;
  const comma = s.text.charCodeAt(s.pos) === COMMA;
  const key = comma ? pastSpace(s, s.pos + 1) : s.pos;
  if (key >= s.end || !isQuote(s.text.charCodeAt(key))) return false;
  return nextQuote(s, key) < s.end && keyAt(s, key, true) === YES;
}

function reopen(s: ParserState): void {
  s.report("early-closer", s.pos, "}", "");
  s.reopenRoot();
  if (s.text.charCodeAt(s.pos) === COMMA) s.pos++;
  s.expect = KEY;
  if (!run(s)) closeAll(s);
}

/** `"a" + "b"` */
function join(s: ParserState): void {
  s.report("concatenation", s.pos, "+", "");
  s.pos++;
  s.joining = true;
  s.expect = VALUE;
  run(s);
}

function valueAfterComma(s: ParserState): boolean {
  const next = pastSpace(s, s.pos + 1);
  if (next >= s.end) return false;
  const code = s.text.charCodeAt(next);
  if (commentAt(s, next)) return true;
  if (typeof s.root === "object" && s.root !== null) return code === OPEN_BRACE || code === OPEN_BRACKET;
  return !isCloser(code) && code !== COMMA;
}

/** `{...}, {...}`: an array that lacks its brackets. */
function wrap(s: ParserState): void {
  s.report("missing-brackets", s.pos, "", "[]");
  s.wrapRoot();
  run(s);
  while (s.top !== undefined) s.closeFrame();
}

function dropRest(s: ParserState): void {
  const rest = s.text.slice(s.pos, s.end);
  const kind = /^,\s*$/.test(rest.slice(0, 100)) ? "trailing-comma" : restKind(s, rest);
  const degree = kind === "surrounding-text" ? degreeOfRest(rest) : undefined;
  s.report(kind, s.pos, rest.trimEnd(), "", degree);
  s.pos = s.end;
}

function restKind(s: ParserState, rest: string): "fence" | "several-documents" | "surrounding-text" {
  if (/^`{3,}\s*$/.test(rest.slice(0, 100))) return "fence";
  const code = s.text.charCodeAt(s.pos);
  const opens = (code === OPEN_BRACE || code === OPEN_BRACKET) && opensDocument(s, s.pos, NO) === YES;
  return opens ? "several-documents" : "surrounding-text";
}

/** Offset of the first bracket that opens a document right after a code fence, or -1. */
function fencedOpener(s: ParserState, from: number): number {
  for (let fence = s.text.indexOf("```", from); fence >= 0; fence = s.text.indexOf("```", fence)) {
    while (s.text.charCodeAt(fence) === BACKTICK) fence++;
    let i = fence;
    while (i < s.end && (isNamePart(s.text.charCodeAt(i)) || s.text.charCodeAt(i) === MINUS)) i++;
    i = pastSpace(s, i);
    if (i < s.end && opensDocument(s, i, YES) === YES) return i;
  }
  return -1;
}

/** Whether the character at `i` opens an object or array, by what follows it. At the end of the text, `whole` says. */
export function opensDocument(s: ParserState, i: number, whole: Answer): Answer {
  const opener = s.text.charCodeAt(i);
  if (opener !== OPEN_BRACE && opener !== OPEN_BRACKET) return NO;
  const j = pastSpace(s, i + 1);
  if (j >= s.end) return atEnd(s, whole);
  const code = s.text.charCodeAt(j);
  if (s.text.startsWith("```", j)) return NO;
  if (isQuote(code) || commentAt(s, j) || (code === BACKSLASH && isQuote(s.text.charCodeAt(j + 1))))
    return YES;
  if (opener === OPEN_BRACE) return code === CLOSE_BRACE || code === OPEN_BRACE ? YES : keyAt(s, j);
  if (code === CLOSE_BRACKET || code === OPEN_BRACE || code === OPEN_BRACKET) return YES;
  return isDigit(code) || code === MINUS ? YES : literalAt(s, j);
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** An object that has at least one property the schema knows, if the schema knows any. */
function isFitting(value: unknown, hint: SchemaHint): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const known = hint.properties();
  return known.length === 0 || known.some((name) => Object.hasOwn(value, name));
}
