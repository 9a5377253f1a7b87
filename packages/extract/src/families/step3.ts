/**
 * `<｜tool_calls_begin｜>` (`<｜tool_call_begin｜>` (function `<｜tool_sep｜>`)? `<steptml:invoke name="N">`
 * (`<steptml:parameter name="K">` V)* `</steptml:invoke>` `<｜tool_call_end｜>`)+ `<｜tool_calls_end｜>`.
 */
import type { Envelope, EnvelopeItem, ExtractFamily, ScanContext } from "../family.ts";
import { type Reading, skipSpace, startsWith } from "../input.ts";
import { readInvoke } from "../read-invoke.ts";
import { readSection } from "../read-section.ts";

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

function* readItem(scan: ScanContext, start: number): Reading<EnvelopeItem | undefined> {
  const { input } = scan;
  let at = yield* skipSpace(input, start);
  if (yield* startsWith(input, at, "function<｜tool_sep｜>")) at += "function<｜tool_sep｜>".length;
  const invoke = yield* readInvoke(scan, yield* skipSpace(input, at), RULES);
  if (invoke === undefined) return undefined;
  at = yield* skipSpace(input, invoke.end);
  return (yield* startsWith(input, at, END)) ? { ...invoke, end: at + END.length } : invoke;
}

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  return yield* readSection(scan, start, { open: BEGIN, read: readItem, close: [SECTION_END] });
}

export const step3: ExtractFamily = {
  name: "step3",
  title: "Step 3",
  example:
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="search"><steptml:parameter name="query">x</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
  openings: [{ literal: "<｜tool_calls_begin｜>", at: "anywhere", read }],
};
