import {
  find,
  has,
  type Input,
  isSpace,
  type Reading,
  skipSpace,
  startsWith,
  startsWithAny,
} from "./input.ts";

/** The attributes of a tag, and where the tag ends. */
export interface TagAttributes {
  readonly attributes: ReadonlyMap<string, string>;
  readonly selfClosing: boolean;
  readonly end: number;
}

const ENTITIES = new Map([
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&apos;", "'"],
  ["&#39;", "'"],
  ["&amp;", "&"],
]);

/** Reads `key="value" ...` up to `close` (or `/>`). Undefined if something else follows, "cut" if the text ends. */
export function* readAttributes(
  input: Input,
  start: number,
  close = ">",
): Reading<TagAttributes | "cut" | undefined> {
  const attributes = new Map<string, string>();
  let at = start;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (!(yield* has(input, at))) return "cut";
    if (yield* startsWith(input, at, close))
      return { attributes, selfClosing: false, end: at + close.length };
    if (yield* startsWith(input, at, "/>")) return { attributes, selfClosing: true, end: at + 2 };
    const equals = yield* keyEnd(input, at);
    if (equals === -1) return undefined;
    if (equals === input.text.length) return "cut";
    const key = input.text.slice(at, equals).trim();
    const value = yield* readAttributeValue(input, equals + 1);
    if (value === undefined || value === "cut") return value;
    attributes.set(key, value.text);
    at = value.end;
  }
}

/** The position of the `=` after a key, that of the end of the text, or -1 if there is no key. */
function* keyEnd(input: Input, start: number): Reading<number> {
  let at = start;
  while (yield* has(input, at)) {
    const character = input.text.charAt(at);
    if (character === "=") return at === start ? -1 : at;
    if (!/[\w.:-]/.test(character)) return -1;
    at++;
  }
  return at;
}

function* readAttributeValue(
  input: Input,
  start: number,
): Reading<{ text: string; end: number } | "cut" | undefined> {
  if (!(yield* has(input, start))) return "cut";
  const quote = input.text.charAt(start);
  if (quote === '"' || quote === "'") {
    const end = yield* find(input, start + 1, quote);
    return end === -1 ? "cut" : { text: decodeEntities(input.text.slice(start + 1, end)), end: end + 1 };
  }
  let at = start;
  while (
    (yield* has(input, at)) &&
    !isSpace(input.text.charCodeAt(at)) &&
    !/[>/<]/.test(input.text.charAt(at))
  )
    at++;
  return at === start ? undefined : { text: input.text.slice(start, at), end: at };
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:lt|gt|quot|apos|#39|amp);/g, (entity) => ENTITIES.get(entity) ?? entity);
}

export interface RawValueRules {
  /** The tag that closes the value. */
  readonly close: string;
  /** What may follow the closing tag, white space aside; the end of the text may as well. */
  readonly next: readonly string[];
  /** How a nested value would begin. */
  readonly open: string;
  /** Tags that close what is around the value; they end it when its own closing tag is missing. */
  readonly ends: readonly string[];
  /** How another call would begin. */
  readonly restarts: readonly string[];
  /** Whether an opening at this position is another parameter of this call rather than text of the value. */
  readonly isSibling?: (at: number) => Reading<boolean>;
}

/** A raw value: its text ends at `end`, what follows it begins at `next`. */
export interface RawValue {
  readonly end: number;
  readonly next: number;
  readonly closed: boolean;
}

/** How many values of a text are read to its end in search of a closing tag that is not there. */
const MAX_OPEN_ENDS = 16;

/**
 * Reads text up to its closing tag. The value may hold the same tags, as a file about this very format does: a
 * closing tag counts only where the grammar can go on after it and when no value that was opened inside is still
 * open. If that leaves the value open at the end of the text, the first closing tag that the grammar allows is it. A
 * text in which that happens again and again is not read to its end every time.
 */
export function* readRawValue(input: Input, start: number, rules: RawValueRules): Reading<RawValue> {
  if (yield* startsWith(input, start, "<![CDATA[")) {
    const cdata = yield* readCdata(input, start, rules);
    if (cdata !== undefined) return cdata;
  }
  const lead = commonLead([rules.close, rules.open, ...rules.ends]);
  let first: RawValue | undefined;
  let depth = 0;
  let tagsEnd = 0;
  let at = start;
  for (;;) {
    if (first !== undefined && input.openEnds >= MAX_OPEN_ENDS) return first;
    at = yield* find(input, at, lead);
    if (at === -1) break;
    if (yield* startsWith(input, at, rules.close)) {
      const after = at + rules.close.length;
      const value = { end: at, next: after, closed: true };
      const allowed = yield* mayFollow(input, after, rules.next);
      if (allowed) first ??= value;
      if (allowed && depth === 0) return value;
      depth = Math.max(0, depth - 1);
      at = after;
    } else if (yield* startsWith(input, at, rules.open)) {
      if (depth === 0 && rules.isSibling !== undefined && (yield* rules.isSibling(at))) {
        return { end: at, next: at, closed: true };
      }
      depth++;
      at += rules.open.length;
    } else if (depth === 0 && (yield* startsWithAny(input, at, rules.ends)) !== undefined) {
      const value = { end: at, next: at, closed: true };
      if (at >= tagsEnd) {
        tagsEnd = yield* closingTagsEnd(input, at, rules.ends);
        if (yield* isOver(input, tagsEnd, rules.restarts)) return value;
      }
      first ??= value;
      at++;
    } else at++;
  }
  if (first === undefined) return { end: input.text.length, next: input.text.length, closed: false };
  input.openEnds++;
  return first;
}

function* readCdata(input: Input, start: number, rules: RawValueRules): Reading<RawValue | undefined> {
  const end = yield* find(input, start, "]]>");
  if (end === -1) return undefined;
  const close = yield* skipSpace(input, end + 3);
  if (!(yield* startsWith(input, close, rules.close))) return undefined;
  return { end: end + 3, next: close + rules.close.length, closed: true };
}

/** The text of a CDATA section, or the text itself. */
export function withoutCdata(text: string): string {
  return text.startsWith("<![CDATA[") && text.endsWith("]]>") ? text.slice(9, -3) : text;
}

/** The end of the closing tags at `start`, white space between and after them included. */
function* closingTagsEnd(input: Input, start: number, ends: readonly string[]): Reading<number> {
  let at = start;
  for (;;) {
    const end = yield* startsWithAny(input, at, ends);
    if (end === undefined) return at;
    at = yield* skipSpace(input, at + end.length);
  }
}

/** Whether nothing or another call is at `at`, so that tags before it closed everything. */
function* isOver(input: Input, at: number, restarts: readonly string[]): Reading<boolean> {
  return !(yield* has(input, at)) || (yield* startsWithAny(input, at, restarts)) !== undefined;
}

function* mayFollow(input: Input, position: number, next: readonly string[]): Reading<boolean> {
  let at = yield* skipSpace(input, position);
  if (yield* startsWith(input, at, "\\n")) at = yield* skipSpace(input, at + 2);
  if (!(yield* has(input, at))) return true;
  return (yield* startsWithAny(input, at, next)) !== undefined;
}

function commonLead(literals: readonly string[]): string {
  const [first = ""] = literals;
  let length = first.length;
  for (const literal of literals) {
    while (!literal.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}
