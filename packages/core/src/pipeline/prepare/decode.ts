import type { ToolResult } from "../../call/result.ts";
import { decode as decodeText } from "../../json/decode.ts";
import { hasSideEffects } from "../../tool/safety.ts";
import type { Resolved } from "../execution.ts";

/** Turns the model's argument text into a value, and says what had to be changed for it. */
export function decode(execution: Resolved): ToolResult | undefined {
  const { call, options, tool } = execution;
  const complete = options.complete !== false;
  const raw = call.arguments;
  if (typeof raw === "string") {
    const decoded = decodeText(raw, { schema: tool.input.jsonSchema, complete });
    if (!decoded.ok) return execution.failed(decoded.failure);
    execution.args = decoded.value;
    const { mode, repairs } = decoded;
    if (mode !== "strict" || repairs.length > 0) execution.decoded = { mode, repairs };
  } else {
    execution.args = raw ?? {};
    if (!complete) execution.decoded = { mode: "partial", repairs: [] };
  }
  return execution.decoded.mode === "partial" ? refusePartial(execution) : undefined;
}

/** Arguments that were cut off never run a tool that writes: what is missing cannot be known. */
function refusePartial(execution: Resolved): ToolResult | undefined {
  if (!hasSideEffects(execution.tool.safety)) return undefined;
  return execution.failed({
    code: "TOOL_ARGUMENTS_INVALID_JSON",
    message:
      "The arguments were cut off before their end, so the tool did not run. Send the whole call again.",
  });
}
