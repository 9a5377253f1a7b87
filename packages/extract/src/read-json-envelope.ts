import {
  type Envelope,
  type EnvelopeCall,
  type EnvelopeReader,
  type Opening,
  type ScanContext,
  unclosed,
} from "./family.ts";
import { has, type Reading, skipSpace, startsWith, startsWithAny } from "./input.ts";
import { type JsonCallRules, jsonCalls } from "./json-calls.ts";
import { readJson } from "./read-json.ts";

export interface JsonEnvelopeRules {
  /** What closes the envelope. */
  readonly close: readonly string[];
  /** Whether a call is complete without the closing literal: it is where the literal is a stop token or unusual. */
  readonly closing: "required" | "optional";
  /** Other literals at which a value that was never closed ends, such as the next opening. */
  readonly stops?: readonly string[];
}

const RULES: JsonCallRules = { bare: "ifAllowed" };

/**
 * Reads call objects and lists of them, one or several, up to the closing literal. The end is found by reading the
 * JSON: a closing literal inside a string does not count. A code fence around the JSON is allowed, and so are closing
 * brackets too many.
 */
export function jsonEnvelope(rules: JsonEnvelopeRules): EnvelopeReader {
  const stops = [...rules.close, ...(rules.stops ?? [])];
  return function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
    const { input, tools } = scan;
    const fence = yield* skipFence(scan, yield* skipSpace(input, start));
    const calls: EnvelopeCall[] = [];
    let end = -1;
    for (let at = fence.at; ; ) {
      const span = yield* readJson(input, at, fence.open ? ["```", ...stops] : stops);
      if (span === undefined) break;
      calls.push(...(jsonCalls(input.text, span, tools, RULES) ?? []));
      end = span.end;
      at = yield* skipSeparators(scan, end, fence.open);
      const close = yield* startsWithAny(input, at, rules.close);
      if (close !== undefined) return { calls, end: at + close.length };
      if (!(yield* has(input, at))) end = at;
    }
    if (end === -1) return undefined;
    return { calls: rules.closing === "required" ? unclosed(calls) : calls, end };
  };
}

/** The opening of call objects between two tags. With `first`, only if the payload begins with that bracket. */
export function listEnvelope(open: string, close: string, first?: "[" | "{"): Opening {
  const read = jsonEnvelope({ close: [close], closing: "required", stops: [open] });
  if (first === undefined) return { literal: open, at: "anywhere", read };
  return {
    literal: open,
    at: "anywhere",
    *read(scan, start, begin) {
      const at = yield* skipSpace(scan.input, start);
      return (yield* startsWith(scan.input, at, first)) ? yield* read(scan, start, begin) : undefined;
    },
  };
}

/** Skips the first line of a code fence, if there is one. */
export function* skipFence(scan: ScanContext, start: number): Reading<{ at: number; open: boolean }> {
  const { input } = scan;
  if (!(yield* startsWith(input, start, "```"))) return { at: start, open: false };
  let at = start + 3;
  while ((yield* has(input, at)) && /[\w-]/.test(input.text.charAt(at))) at++;
  return { at: yield* skipSpace(input, at), open: true };
}

/** Skips what may stand between two values: space, commas, semicolons, closers too many, the end of a fence. */
function* skipSeparators(scan: ScanContext, start: number, fenced: boolean): Reading<number> {
  const { input } = scan;
  let at = start;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (!(yield* has(input, at))) return at;
    if (fenced && (yield* startsWith(input, at, "```"))) at += 3;
    else if (/[,;}\]]/.test(input.text.charAt(at))) at++;
    else return at;
  }
}
