/** `functools` `[J, ...]`, J being a call object. Templates of Phi-4-mini also know `<|tool_call|>`. */
import type { Envelope, ExtractFamily, Opening, ScanContext } from "../family.ts";
import { type Reading, startsWith } from "../input.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";
import { toolCallToken } from "./granite3.ts";

const readList = jsonEnvelope({ close: [], closing: "optional" });

const openings: readonly Opening[] = [
  {
    literal: "functools",
    at: "prose",
    *read(scan: ScanContext, start: number, begin: number): Reading<Envelope | undefined> {
      return (yield* startsWith(scan.input, start, "[")) ? yield* readList(scan, start, begin) : undefined;
    },
  },
];
const example = 'functools[{"name": "search", "arguments": {"query": "x"}}]';

export const phi4Mini: ExtractFamily = {
  name: "phi4-mini",
  title: "Phi-4-mini",
  example,
  openings,
  tolerates: [toolCallToken],
};
export const firefunction: ExtractFamily = {
  name: "firefunction",
  title: "FireFunction 2",
  example,
  openings,
};
