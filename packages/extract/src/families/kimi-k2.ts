/**
 * `<|tool_calls_section_begin|>` (`<|tool_call_begin|>` functions.N:i `<|tool_call_argument_begin|>` J
 * `<|tool_call_end|>`)+ `<|tool_calls_section_end|>`. The section markers may be missing, and so may `functions.` and
 * the index. The section begins even inside reasoning that was never closed.
 */
import type { Envelope, EnvelopeCall, EnvelopeItem, ExtractFamily, ScanContext } from "../family.ts";
import { findNear, has, type Reading, skipSpace, startsWith, startsWithAny } from "../input.ts";
import { readJson } from "../read-json.ts";

const CALL = "<|tool_call_begin|>";
const ARGUMENT = "<|tool_call_argument_begin|>";
const CALL_END = "<|tool_call_end|>";
const SECTIONS = ["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"];
const SECTION_ENDS = ["<|tool_calls_section_end|>", "<|tool_call_section_end|>"];
const STOPS = [CALL_END, CALL, ...SECTION_ENDS];
const MAX_ID = 200;
const MAX_NOISE = 200;

/** Reads one call after its begin marker. */
function* readCall(scan: ScanContext, start: number): Reading<EnvelopeItem | undefined> {
  const { input, tools } = scan;
  let at = start;
  while (at - start < MAX_ID && (yield* has(input, at)) && input.text.charAt(at) !== "<") at++;
  if (!(yield* startsWith(input, at, ARGUMENT))) return undefined;
  const id = input.text.slice(start, at).trim();
  const name = id.replace(/^functions\./, "").replace(/:\d+$/, "");
  const tool = tools.get(name) ?? tools.get(id);
  at = yield* skipSpace(input, at + ARGUMENT.length);
  const span = yield* readJson(input, at, STOPS);
  const written = span === undefined ? "{}" : input.text.slice(span.start, span.end);
  if (span !== undefined) at = yield* skipSpace(input, span.end);
  const closed = yield* startsWith(input, at, CALL_END);
  if (span === undefined && !closed && (yield* has(input, at))) return undefined;
  const complete = closed && span?.complete !== false;
  return {
    call: tool && { name: tool.name, arguments: written, complete },
    end: closed ? at + CALL_END.length : at,
  };
}

function* readCalls(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input } = scan;
  const calls: EnvelopeCall[] = [];
  let at = start;
  let end = start;
  while (yield* startsWith(input, at, CALL)) {
    const found = yield* readCall(scan, at + CALL.length);
    if (found === undefined) break;
    if (found.call !== undefined) calls.push(found.call);
    end = found.end;
    at = yield* skipSpace(input, end);
  }
  const close = yield* startsWithAny(input, at, SECTION_ENDS);
  if (close !== undefined) return { calls, end: at + close.length };
  return end === start ? undefined : { calls, end };
}

function* readSection(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input } = scan;
  let at = yield* skipSpace(input, start);
  if (!(yield* startsWith(input, at, "<"))) {
    const next = yield* findNear(input, at, "<", MAX_NOISE);
    if (next === -1) return undefined;
    at = next;
  }
  return yield* readCalls(scan, at);
}

function* readBare(scan: ScanContext, _start: number, begin: number): Reading<Envelope | undefined> {
  return yield* readCalls(scan, begin);
}

export const kimiK2: ExtractFamily = {
  name: "kimi-k2",
  title: "Kimi K2",
  example:
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"query": "x"}<|tool_call_end|><|tool_calls_section_end|>',
  openings: [
    ...SECTIONS.map(
      (literal) => ({ literal, at: "anywhere", endsReasoning: true, read: readSection }) as const,
    ),
    { literal: CALL, at: "anywhere", read: readBare },
  ],
};
