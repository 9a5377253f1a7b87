/** (`[TOOL_CALLS]` N (`[CALL_ID]` id)? (`[ARGS]`)? J?)+, tokenizers from v11 on. */
import type { Envelope, ExtractFamily, ScanContext } from "../family.ts";
import { has, nameEnd, type Reading, skipSpace, startsWith, untilAny } from "../input.ts";
import { readJson } from "../read-json.ts";

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input, tools } = scan;
  const begin = yield* skipSpace(input, start);
  const end = yield* untilAny(input, begin, "[{<(\"' \t\r\n");
  if (end === begin) return undefined;
  const tool = tools.resolve(input.text.slice(begin, end));
  let at = end;
  if (yield* startsWith(input, at, "[CALL_ID]")) at = yield* nameEnd(input, at + "[CALL_ID]".length);
  const marked = yield* startsWith(input, at, "[ARGS]");
  if (marked) at += "[ARGS]".length;
  at = yield* skipSpace(input, at);
  const span = yield* readJson(input, at, ["[TOOL_CALLS]", "</s>"]);
  if (span !== undefined) {
    const call = tool && {
      name: tool.name,
      arguments: input.text.slice(span.start, span.end),
      complete: span.complete,
    };
    return { calls: call === undefined ? [] : [call], end: span.end };
  }
  const followed = yield* startsWith(input, at, "[TOOL_CALLS]");
  if (tool === undefined || !(marked || followed || !(yield* has(input, at)))) return undefined;
  return { calls: [{ name: tool.name, arguments: "{}", complete: followed && !marked }], end: at };
}

export const mistralArgs: ExtractFamily = {
  name: "mistral-args",
  title: "Mistral from v11 on, Devstral, Ministral, Magistral",
  example: '[TOOL_CALLS]search[ARGS]{"query": "x"}',
  openings: [{ literal: "[TOOL_CALLS]", at: "anywhere", read }],
};
