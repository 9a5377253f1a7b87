import { decode as decodeText } from "@toolrig/json";
import { lessSure, schemaHint, survey } from "@toolrig/json/kit";
import { UnreadableArguments } from "../../call/own-call.ts";
import type { ToolResult } from "../../call/result.ts";
import { hasSideEffects } from "../../tool/safety.ts";
import type { Resolved } from "../execution.ts";
import { refuseUnsureText } from "./unsure.ts";

/** Turns the model's argument text into a value, and says what had to be changed for it and how sure that is. */
export function decode(execution: Resolved): ToolResult | undefined {
  const { call, options, tool } = execution;
  const complete = options.complete !== false;
  const raw = call.arguments;
  const careful = hasSideEffects(tool.safety);
  if (typeof raw === "string") {
    const decoded = decodeText(raw, { schema: tool.input.jsonSchema, complete });
    if (!decoded.ok) return execution.failed(decoded.failure);
    execution.args = decoded.value;
    const { mode, degree, repairs } = decoded;
    if (mode !== "strict" || repairs.length > 0) execution.decoded = { mode, degree, repairs };
  } else {
    if (raw instanceof UnreadableArguments) return unreadable(execution, raw);
    execution.args = raw ?? {};
    if (careful) noteStrangeKeys(execution);
    if (!complete) execution.decoded = { ...execution.decoded, mode: "partial", degree: "lossy" };
  }
  inheritDoubt(execution);
  return refuseUnsureText(execution);
}

function unreadable(execution: Resolved, { reason }: UnreadableArguments): ToolResult {
  return execution.failed({ kind: "validation", message: `The arguments cannot be read: ${reason}` });
}

function noteStrangeKeys(execution: Resolved): void {
  const hint = schemaHint(execution.tool.input.jsonSchema);
  const repairs = hint === undefined ? [] : survey(execution.args, hint).notes;
  if (repairs.length === 0) return;
  const degree = repairs.map((repair) => repair.degree).reduce(lessSure);
  execution.decoded = { mode: "strict", degree, repairs };
}

/** What a tool makes of arguments that were cut off or guessed is no surer than those. */
function inheritDoubt(execution: Resolved): void {
  const { parent, decoded } = execution;
  if (parent === undefined || parent.decoded.degree === "exact") return;
  const { mode, degree } = parent.decoded;
  execution.decoded = {
    mode: mode === "partial" ? mode : decoded.mode,
    degree: lessSure(decoded.degree, degree),
    repairs: decoded.repairs,
  };
}
