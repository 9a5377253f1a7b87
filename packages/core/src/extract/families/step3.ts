/**
 * `<｜tool_calls_begin｜>` (`<｜tool_call_begin｜>` (function `<｜tool_sep｜>`)? `<steptml:invoke name="N">`
 * (`<steptml:parameter name="K">` V)* `</steptml:invoke>` `<｜tool_call_end｜>`)+ `<｜tool_calls_end｜>`.
 */
import type { Envelope, EnvelopeCall, ExtractFamily, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWith } from "../input.ts";
import { readInvoke } from "../read-invoke.ts";

const BEGIN = "<｜tool_call_begin｜>";
const END = "<｜tool_call_end｜>";
const SECTION_END = "<｜tool_calls_end｜>";
const RULES = {
  prefix: "steptml:",
  invoke: "invoke",
  parameter: "parameter",
  untyped: "string",
  next: [END, SECTION_END],
} as const;

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  const { input } = scan;
  const calls: EnvelopeCall[] = [];
  let end = -1;
  let at = yield* skipSpace(input, start);
  while (yield* startsWith(input, at, BEGIN)) {
    at = yield* skipSpace(input, at + BEGIN.length);
    if (yield* startsWith(input, at, "function<｜tool_sep｜>")) at += "function<｜tool_sep｜>".length;
    const invoke = yield* readInvoke(scan, yield* skipSpace(input, at), RULES);
    if (invoke === undefined) break;
    if (invoke.call !== undefined) calls.push(invoke.call);
    end = invoke.end;
    at = yield* skipSpace(input, end);
    if (yield* startsWith(input, at, END)) at = yield* skipSpace(input, at + END.length);
    end = at;
  }
  if (end === -1) return undefined;
  const closed = yield* startsWith(input, at, SECTION_END);
  return { calls, end: closed ? at + SECTION_END.length : end };
}

export const step3: ExtractFamily = {
  name: "step3",
  title: "Step 3",
  example:
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="search"><steptml:parameter name="query">x</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
  openings: [{ literal: "<｜tool_calls_begin｜>", at: "anywhere", read }],
};
