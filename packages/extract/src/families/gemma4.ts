/** `<|tool_call>` call:N{k:v, ...} `<tool_call|>`: bare keys, strings between `<|"|>` marks. */
import type { Envelope, EnvelopeReader, ExtractFamily, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWith, untilAny } from "../input.ts";
import { readMarkedObject } from "../read-marked-object.ts";

/** Reads `call:N{...}` up to `close`, strings being between `mark`s. */
export function markedCall(mark: string, close: string): EnvelopeReader {
  return function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
    const { input, tools } = scan;
    let at = yield* skipSpace(input, start);
    if (!(yield* startsWith(input, at, "call:"))) return undefined;
    at += "call:".length;
    const end = yield* untilAny(input, at, "{<( \t\r\n");
    const tool = tools.resolve(input.text.slice(at, end));
    const object = yield* readMarkedObject(input, yield* skipSpace(input, end), mark);
    if (object === undefined) return undefined;
    at = yield* skipSpace(input, object.end);
    const closed = yield* startsWith(input, at, close);
    const call = tool && { name: tool.name, arguments: object.json, complete: object.complete && closed };
    return { calls: call === undefined ? [] : [call], end: closed ? at + close.length : object.end };
  };
}

export const gemma4: ExtractFamily = {
  name: "gemma4",
  title: "Gemma 4",
  example: '<|tool_call>call:search{query:<|"|>x<|"|>}<tool_call|>',
  openings: [{ literal: "<|tool_call>", at: "anywhere", read: markedCall('<|"|>', "<tool_call|>") }],
};
