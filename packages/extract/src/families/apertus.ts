/** `<|tools_prefix|>` `[{"N": {...}}, ...]` `<|tools_suffix|>`: the tool's name is the key. */
import {
  type Envelope,
  type EnvelopeCall,
  type ExtractFamily,
  type ScanContext,
  unclosed,
} from "../family.ts";
import { type Reading, skipSpace, startsWith } from "../input.ts";
import { jsonMembers, readJson } from "../read-json.ts";

const CLOSE = "<|tools_suffix|>";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input, tools } = scan;
  const span = yield* readJson(input, yield* skipSpace(input, start), [CLOSE]);
  if (span === undefined) return undefined;
  const { text } = input;
  const at = yield* skipSpace(input, span.end);
  const closed = yield* startsWith(input, at, CLOSE);
  const items = text.charAt(span.start) === "[" ? jsonMembers(text, span) : [{ ...span, key: "" }];
  const calls: EnvelopeCall[] = [];
  for (const item of items) {
    if (text.charAt(item.start) !== "{") continue;
    for (const member of jsonMembers(text, item)) {
      const tool = tools.resolve(member.key);
      if (tool === undefined || text.charAt(member.start) !== "{") continue;
      calls.push({
        name: tool.name,
        arguments: text.slice(member.start, member.end),
        complete: member.complete,
      });
    }
  }
  return closed ? { calls, end: at + CLOSE.length } : { calls: unclosed(calls), end: span.end };
}

export const apertus: ExtractFamily = {
  name: "apertus",
  title: "Apertus",
  example: '<|tools_prefix|>[{"search": {"query": "x"}}]<|tools_suffix|>',
  openings: [{ literal: "<|tools_prefix|>", at: "anywhere", read }],
};
