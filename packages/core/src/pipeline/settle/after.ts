import { contentOf, type Outcome, type ToolResult } from "../../call/result.ts";
import { isFailureCode } from "../../failure/codes.ts";
import type { AfterVerdict, Guard } from "../../guards/guard.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import type { Execution } from "../execution.ts";

/** Shows the result to every guard in order. They can change what the model reads, never what the tool did. */
export function after(execution: Execution, result: ToolResult): MaybePromise<ToolResult> {
  return execution.tool === undefined ? result : showFrom(0, execution, result);
}

function showFrom(from: number, execution: Execution, result: ToolResult): MaybePromise<ToolResult> {
  const { guards } = execution.services;
  const input = { ...execution.guardInput(), result, effects: execution.effects };
  for (let index = from; index < guards.length; index++) {
    const guard = guards[index]!;
    if (guard.after === undefined) continue;
    let verdict: MaybePromise<AfterVerdict | undefined>;
    try {
      verdict = guard.after(input);
    } catch (error) {
      verdict = failed(guard, error);
    }
    if (isThenable(verdict)) {
      return Promise.resolve(verdict).then(
        (answer) => showFrom(index + 1, execution, apply(answer, guard, execution, result)),
        (error) => showFrom(index + 1, execution, apply(failed(guard, error), guard, execution, result)),
      );
    }
    if (verdict !== undefined)
      return showFrom(index + 1, execution, apply(verdict, guard, execution, result));
  }
  return result;
}

function failed({ name }: Guard, error: unknown): AfterVerdict {
  return { verdict: "deny", reason: `guard ${name} failed after the tool ran: ${messageOf(error)}` };
}

function apply(
  verdict: AfterVerdict | undefined,
  { name }: Guard,
  execution: Execution,
  result: ToolResult,
): ToolResult {
  if (verdict === undefined) return result;
  if (typeof verdict !== "object" || verdict === null) return noVerdict(name, execution);
  if (execution.services.events.active) {
    const reason = "text" in verdict ? verdict.text : verdict.reason;
    const why = reason === undefined ? {} : { reason };
    execution.emit({ type: "call.verdict", phase: "after", guard: name, verdict: verdict.verdict, ...why });
  }
  switch (verdict.verdict) {
    case "allow":
      return result;
    case "deny": {
      const code = isFailureCode(verdict.code) ? verdict.code : "TOOL_BLOCKED";
      const ran = execution.attempts > 0 ? " (the tool has run)" : "";
      return execution.failed({ code, message: `${verdict.reason}${ran}`, details: { guard: name } });
    }
    case "rewrite":
      return rewritten(execution, result, verdict.result);
    case "advise":
      execution.advice = [...(execution.advice ?? []), verdict.text];
      return result;
    case "stop":
      execution.stop = verdict.reason;
      return result;
    default:
      return noVerdict(name, execution);
  }
}

function noVerdict(name: string, execution: Execution): ToolResult {
  return execution.failed({ code: "TOOL_BLOCKED", message: `guard ${name} gave no valid verdict` });
}

function rewritten(execution: Execution, result: ToolResult, change: Outcome): ToolResult {
  const next: ToolResult = { ...result };
  if (change.content !== undefined) next.content = contentOf(change.content);
  if ("value" in change) next.value = change.value;
  else if (change.content !== undefined) delete next.value;
  if ("details" in change) next.details = change.details;
  if (change.terminate !== undefined) next.terminate = change.terminate;
  if (change.effects !== undefined) addEffects(execution, result, change);
  if (change.isError === true && !next.isError) {
    const message = next.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    next.isError = true;
    next.failure = execution.failed({ kind: "fatal", message }).failure!;
  }
  if (change.isError === false) {
    next.isError = false;
    delete next.failure;
  }
  return next;
}

/** A hook that spreads the result it was given repeats its effects; only what is new is added. */
function addEffects(execution: Execution, result: ToolResult, change: Outcome): void {
  const known = new Set(execution.effects ?? result.effects ?? []);
  const added = change.effects!.filter((effect) => !known.has(effect));
  if (added.length > 0) execution.effects = [...known, ...added];
}
