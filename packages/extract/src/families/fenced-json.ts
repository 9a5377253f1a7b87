/**
 * A code fence that holds call objects or a list of them and nothing else. The info string is `json`, empty, or names
 * a tool call. A fence that an explanation introduces is an example; the scanner does not offer those.
 */
import {
  type Envelope,
  type EnvelopeCall,
  type ExtractFamily,
  type Opening,
  type ScanContext,
  unclosed,
} from "../family.ts";
import { has, type Reading, skipSpace, startsWith } from "../input.ts";
import { jsonCalls } from "../json-calls.ts";
import { readJson } from "../read-json.ts";

/** Reads call objects from `start` to the closing fence. */
export function* readFenced(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input, tools } = scan;
  const calls: EnvelopeCall[] = [];
  let at = yield* skipSpace(input, start);
  for (;;) {
    const span = yield* readJson(input, at, ["```"]);
    if (span === undefined) return undefined;
    const rules = { bare: "never", plainInput: true } as const;
    const found = jsonCalls(input.text, span, tools, rules);
    if (found === undefined || found.length === 0) return undefined;
    calls.push(...found);
    at = yield* skipSpace(input, span.end);
    while ((yield* has(input, at)) && /[,;}\]]/.test(input.text.charAt(at)))
      at = yield* skipSpace(input, at + 1);
    if (yield* startsWith(input, at, "```")) return { calls, end: at + 3 };
    if (yield* has(input, at)) continue;
    return { calls: unclosed(calls), end: at };
  }
}

const INFO_STRINGS = ["", "json", "tool_call", "tool_calls", "tool", "function_call", "action", "xlam"];

export const fences: readonly Opening[] = INFO_STRINGS.map((literal) => ({
  literal,
  at: "fence",
  weak: true,
  read: readFenced,
}));

export const fencedJson: ExtractFamily = {
  name: "fenced-json",
  title: "Any model: a call object in a code fence",
  example: '```json\n{"name": "search", "arguments": {"query": "x"}}\n```',
  openings: fences,
};
