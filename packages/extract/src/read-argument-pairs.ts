import { ArgumentBuilder } from "./argument-builder.ts";
import type { EnvelopeItem, ScanContext } from "./family.ts";
import { find, has, type Reading, skipSpace, startsWith, startsWithAny } from "./input.ts";
import { readRawValue } from "./read-tags.ts";
import type { TypingRules } from "./typed-value.ts";

const CLOSE = "</tool_call>";
const KEY = "<arg_key>";
const KEY_CLOSE = "</arg_key>";
const VALUE = "<arg_value>";
const VALUE_CLOSE = "</arg_value>";
const TYPING: TypingRules = { untyped: "json", quotedStrings: true };

/**
 * Reads `N`, then `<arg_key>K</arg_key><arg_value>V</arg_value>` pairs, up to `</tool_call>`. White space, also
 * written as `\n`, may stand between them. Undefined unless a name comes first and is followed by a tag.
 */
export function* readArgumentPairs(scan: ScanContext, start: number): Reading<EnvelopeItem | undefined> {
  const { input, tools } = scan;
  const nameEnd = yield* readName(scan, start);
  if (nameEnd === undefined) return undefined;
  const name = input.text.slice(start, nameEnd).replaceAll("\\n", "").trim();
  const tool = tools.resolve(name);
  const builder = new ArgumentBuilder(tool);
  const done = (end: number, complete: boolean) => ({
    call: tool && { name: tool.name, arguments: builder.text(), complete },
    end,
  });
  let at = nameEnd;
  if (yield* startsWith(input, at, "<tool_sep>")) at += "<tool_sep>".length;
  for (;;) {
    at = yield* skipBreaks(scan, at);
    if (!(yield* has(input, at))) return done(at, false);
    if (yield* startsWith(input, at, CLOSE)) return done(at + CLOSE.length, true);
    if (!(yield* startsWith(input, at, KEY))) return done(at, false);
    const keyEnd = yield* find(input, at, KEY_CLOSE);
    if (keyEnd === -1) return done(input.text.length, false);
    const key = input.text.slice(at + KEY.length, keyEnd).trim();
    at = yield* skipBreaks(scan, keyEnd + KEY_CLOSE.length);
    if (!(yield* startsWith(input, at, VALUE))) continue;
    at += VALUE.length;
    const value = yield* readRawValue(input, at, {
      close: VALUE_CLOSE,
      next: [KEY, CLOSE],
      open: VALUE,
      ends: [CLOSE],
      restarts: ["<tool_call>"],
    });
    if (!value.closed) return done(value.next, false);
    builder.addText(key, input.text.slice(at, value.end), TYPING);
    at = value.next;
  }
}

/** The end of a name: one word, with a tag after it. */
function* readName(scan: ScanContext, start: number): Reading<number | undefined> {
  const { input } = scan;
  const first = yield* skipSpace(input, start);
  let at = first;
  while ((yield* has(input, at)) && !/[<\s{[("'`]/.test(input.text.charAt(at))) at++;
  if (at === first) return undefined;
  const next = yield* skipBreaks(scan, at);
  if (!(yield* has(input, next))) return undefined;
  const follows = yield* startsWithAny(input, next, [KEY, CLOSE, "<tool_sep>"]);
  return follows === undefined ? undefined : next;
}

function* skipBreaks(scan: ScanContext, start: number): Reading<number> {
  const { input } = scan;
  let at = yield* skipSpace(input, start);
  while (yield* startsWith(input, at, "\\n")) at = yield* skipSpace(input, at + 2);
  return at;
}
