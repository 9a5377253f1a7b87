/**
 * `<|content_invoke_tool_json|>` `{"name": N, "args": {...}}` `<|end_message|>`. After a payload that cannot be read,
 * the rest of the message is text.
 */
import type { Envelope, ExtractFamily, ScanContext } from "../family.ts";
import type { Reading } from "../input.ts";
import { readJson } from "../read-json.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

const OPEN = "<|content_invoke_tool_json|>";
const CLOSE = "<|end_message|>";
const readCalls = jsonEnvelope({ close: [CLOSE], closing: "required", stops: [OPEN] });

function* read(scan: ScanContext, start: number, begin: number): Reading<Envelope | undefined> {
  const span = yield* readJson(scan.input, start, [CLOSE]);
  const envelope = yield* readCalls(scan, start, begin);
  if (envelope === undefined || span === undefined) return { calls: [], end: start, stops: true };
  return { ...envelope, stops: !span.complete };
}

export const inkling: ExtractFamily = {
  name: "inkling",
  title: "Inkling",
  example: '<|content_invoke_tool_json|>{"name": "search", "args": {"query": "x"}}<|end_message|>',
  openings: [{ literal: OPEN, at: "anywhere", read }],
};
