import { type DataLabels, joinLabels, labelsIn } from "../../call/labels.ts";
import type { ToolResult } from "../../call/result.ts";
import { frozenCopy, harden } from "../../copy.ts";
import type { AfterInput, AfterVerdict, Guard } from "../../guards/guard.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import type { Resolved } from "../execution.ts";
import { rewritten } from "../outcome.ts";
import { denied, guardInput, isLasting, isVerdict, noVerdict, tellVerdict } from "../verdicts.ts";

/** Shows the result to every guard in order, to those that hear last at the end. They can change what the model reads, never what the tool did. */
export function after(execution: Resolved, result: ToolResult): MaybePromise<ToolResult> {
  return showFrom(0, execution, result);
}

function showFrom(from: number, execution: Resolved, result: ToolResult): MaybePromise<ToolResult> {
  const { viewers } = execution.services;
  let input: AfterInput | undefined;
  for (let index = from; ; index++) {
    const guard = viewers[index];
    if (guard === undefined) return result;
    if (guard.after === undefined) continue;
    input ??= afterInput(execution, result);
    const verdict = look(guard, input);
    if (verdict === undefined) {
      if (!isLasting(execution, input) || !harden(input.result)) input = undefined;
      continue;
    }
    const rest = (answer: AfterVerdict | undefined) =>
      showFrom(index + 1, execution, apply(answer, guard, execution, result));
    return isThenable(verdict) ? verdict.then(rest) : rest(verdict);
  }
}

/** What one guard sees of a result: to change it, it says so. */
function afterInput(execution: Resolved, result: ToolResult): AfterInput {
  return { ...guardInput(execution), result: frozenCopy(result), effects: frozenCopy(execution.effects) };
}

/** What a guard says of a result. One that throws withholds it. */
function look(guard: Guard, input: AfterInput): MaybePromise<AfterVerdict | undefined> {
  try {
    const verdict = guard.after?.(input);
    return isThenable(verdict) ? Promise.resolve(verdict).catch((error) => broken(guard, error)) : verdict;
  } catch (error) {
    return broken(guard, error);
  }
}

function broken({ name }: Guard, error: unknown): AfterVerdict {
  return { verdict: "deny", reason: `guard ${name} failed after the tool ran: ${messageOf(error)}` };
}

function apply(
  verdict: AfterVerdict | undefined,
  guard: Guard,
  execution: Resolved,
  result: ToolResult,
): ToolResult {
  if (verdict === undefined) return result;
  if (!isVerdict(verdict)) return noVerdict(execution, guard);
  if (verdict.verdict === "label") return labelled(verdict.labels, guard, execution, result);
  tellVerdict(execution, guard, "after", verdict);
  switch (verdict.verdict) {
    case "allow":
      return result;
    case "deny": {
      const ran = execution.attempts > 0 ? " (the tool has run)" : "";
      return denied(execution, guard, `${verdict.reason}${ran}`, verdict.code);
    }
    case "rewrite":
      return rewritten(execution, result, verdict.result);
    case "advise":
      execution.advise(verdict.text);
      return result;
    case "stop":
      execution.stop = verdict.reason;
      return result;
    default:
      return noVerdict(execution, guard);
  }
}

/** Adds care to what the tool, the calls it made and other guards said; nobody takes it away. */
function labelled(given: unknown, guard: Guard, execution: Resolved, result: ToolResult): ToolResult {
  const labels = labelsIn(given);
  if (labels === undefined) return noVerdict(execution, guard);
  execution.labels = carefulJoin(labels, execution.labels);
  return { ...result, labels: carefulJoin(labels, result.labels) };
}

/** A guard that does not call data trusted takes back that anybody else did. */
function carefulJoin(labels: DataLabels, others: DataLabels | undefined): DataLabels {
  const joined = joinLabels(labels, others) ?? labels;
  if (labels.integrity !== undefined || joined.integrity !== "trusted") return joined;
  const { integrity: _, ...rest } = joined;
  return rest;
}
