/** `<tool_calls>` (`<tool_call>` N `<tool_sep>` (arg_key, arg_value)* `</tool_call>`)+ `</tool_calls>`, pairs as in GLM. */
import type { Envelope, EnvelopeCall, ExtractFamily, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWith } from "../input.ts";
import { readArgumentPairs } from "../read-argument-pairs.ts";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input } = scan;
  const calls: EnvelopeCall[] = [];
  let end = -1;
  let at = yield* skipSpace(input, start);
  while (yield* startsWith(input, at, "<tool_call>")) {
    const pairs = yield* readArgumentPairs(scan, at + "<tool_call>".length);
    if (pairs === undefined) break;
    if (pairs.call !== undefined) calls.push(pairs.call);
    end = pairs.end;
    at = yield* skipSpace(input, end);
  }
  if (end === -1) return undefined;
  const closed = yield* startsWith(input, at, "</tool_calls>");
  return { calls, end: closed ? at + "</tool_calls>".length : end };
}

export const hunyuanV3: ExtractFamily = {
  name: "hunyuan-v3",
  title: "Hunyuan 3",
  example:
    "<tool_calls><tool_call>search<tool_sep><arg_key>query</arg_key><arg_value>x</arg_value></tool_call></tool_calls>",
  openings: [{ literal: "<tool_calls>", at: "anywhere", read }],
};
