/** `<|tool_call_start|>` `[N(k=literal, ...), ...]` or call objects `<|tool_call_end|>`. */
import type { Envelope, ExtractFamily, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWith } from "../input.ts";
import { readPythonCalls } from "../python-calls.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

const CLOSE = "<|tool_call_end|>";

function* readPython(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input } = scan;
  const open = yield* skipSpace(input, start);
  const bracketed = yield* startsWith(input, open, "[");
  const list = yield* readPythonCalls(scan, bracketed ? open + 1 : open, {
    close: bracketed ? ["]"] : [CLOSE],
  });
  if (list === undefined || !bracketed) return list;
  const at = yield* skipSpace(input, list.end);
  return (yield* startsWith(input, at, CLOSE)) ? { ...list, end: at + CLOSE.length } : list;
}

export const lfm2: ExtractFamily = {
  name: "lfm2",
  title: "LFM2",
  example: '<|tool_call_start|>[search(query="x")]<|tool_call_end|>',
  openings: [
    { literal: "<|tool_call_start|>", at: "anywhere", read: readPython },
    {
      literal: "<|tool_call_start|>",
      at: "anywhere",
      read: jsonEnvelope({ close: [CLOSE], closing: "required", stops: ["<|tool_call_start|>"] }),
    },
  ],
};
