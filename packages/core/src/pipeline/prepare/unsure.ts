import type { Degree, Repair } from "@toolrig/json";
import { lessSure } from "@toolrig/json/kit";
import type { ToolResult } from "../../call/result.ts";
import { renderText } from "../../plain.ts";
import { hasSideEffects } from "../../tool/safety.ts";
import type { Resolved } from "../execution.ts";

/** How much of what was understood the model is shown. */
const MAX_SHOWN = 2_000;

/**
 * Tools with side effects run on what the model wrote, or on what it must have meant, and on nothing less sure. A result
 * when the text could be read only by guessing, or not without loss.
 */
export function refuseUnsureText(execution: Resolved): ToolResult | undefined {
  const { decoded, parent, tool } = execution;
  if (!hasSideEffects(tool.safety)) return undefined;
  if (decoded.mode === "partial") return refusePartial(execution);
  const text = decoded.repairs.filter(({ kind }) => kind !== "near-key").map(({ degree }) => degree);
  return refuseUnsure(execution, text.reduce(lessSure, parent?.decoded.degree ?? "exact"));
}

/** As for the text, for keys that are nearly those of parameters: told once everything else is right. */
export function refuseUnsureKeys(execution: Resolved): ToolResult | undefined {
  if (!hasSideEffects(execution.tool.safety)) return undefined;
  const keys = execution.decoded.repairs.filter(({ kind }) => kind === "near-key");
  return refuseUnsure(execution, keys.map(({ degree }) => degree).reduce(lessSure, "exact"));
}

/** What was cut off: what is missing cannot be known. */
function refusePartial(execution: Resolved): ToolResult {
  return execution.failed({
    code: "TOOL_ARGUMENTS_INVALID_JSON",
    message:
      "The arguments were cut off before their end, so the tool did not run. Send the whole call again.",
  });
}

function refuseUnsure(execution: Resolved, degree: Degree): ToolResult | undefined {
  if (degree === "exact") return undefined;
  const onGuess = execution.tool.onGuess ?? execution.services.onGuess;
  if (degree === "lossy" || onGuess === "refuse") return refuse(execution);
  const reason = `the arguments were understood by guessing: ${doubtsOf(execution)}`;
  execution.ask({ guard: "guessed-arguments", reason, always: true });
  return undefined;
}

/** Tells the model what was understood, so that it can confirm or correct it. */
function refuse(execution: Resolved): ToolResult {
  const { tool, args, decoded } = execution;
  const understood = renderText(args);
  const shown = understood.length > MAX_SHOWN ? `${understood.slice(0, MAX_SHOWN)}…` : understood;
  return execution.failed({
    code: "TOOL_ARGUMENTS_INVALID_JSON",
    message: `${tool.name} did not run, because its arguments could be read only by guessing: ${doubtsOf(execution)}. Understood was: ${shown} Send the call again as valid JSON, with quotes and line breaks inside strings escaped.`,
    details: { understood: args, repairs: decoded.repairs.filter((repair) => repair.degree !== "exact") },
  });
}

function doubtsOf({ decoded, parent }: Resolved): string {
  const doubts = decoded.repairs.filter((repair) => repair.degree !== "exact");
  if (doubts.length > 0) return [...new Set(doubts.map(doubtOf))].slice(0, 5).join("; ");
  return `so could those of ${parent?.tool.name ?? "the call"}, which made this one`;
}

function doubtOf({ kind, before, after, position }: Repair): string {
  if (kind === "near-key") return `there is no parameter "${before}"; did you mean "${after}"?`;
  return position === undefined ? kind : `${kind} at position ${position}`;
}
