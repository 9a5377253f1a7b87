import { messageOf, render, toPlain } from "../content.ts";
import type { Execution } from "../execution.ts";
import { ToolFailure } from "../failure.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import { contentOf, isOutcome, type MarkedOutcome, type ToolResult } from "../result.ts";
import type { StandardResult } from "../schema/standard.ts";
import { validatorFor } from "../schema/validate.ts";
import { failureOf } from "./classify.ts";

/** The result of a tool that returned. Whatever it returned, there is one. */
export function returned(execution: Execution, value: unknown): MaybePromise<ToolResult> {
  try {
    if (ToolFailure.isInstance(value)) return execution.failed(value.failure);
    if (isOutcome(value)) return fromOutcome(execution, value);
    if (execution.tool.output !== undefined)
      return checked(execution, value, (valid) => succeeded(execution, valid));
    return succeeded(execution, value);
  } catch (error) {
    return threw(execution, error);
  }
}

/** The result of a tool that threw. */
export function threw(execution: Execution, thrown: unknown): ToolResult {
  return execution.failed(failureOf(thrown));
}

function succeeded(execution: Execution, value: unknown): ToolResult {
  const result: ToolResult = {
    callId: execution.call.id,
    executionId: execution.id,
    name: execution.call.name,
    isError: false,
    content: render(value),
    decoded: execution.decoded,
    attempts: execution.attempts,
    durationMs: 0,
  };
  if (value !== undefined) result.value = value;
  return result;
}

function fromOutcome(execution: Execution, outcome: MarkedOutcome): MaybePromise<ToolResult> {
  const settle = (value: unknown): ToolResult => {
    const result = succeeded(execution, value);
    if (outcome.content !== undefined) result.content = contentOf(outcome.content);
    if (outcome.details !== undefined) result.details = outcome.details;
    if (outcome.effects !== undefined) execution.effects = [...(execution.effects ?? []), ...outcome.effects];
    if (outcome.terminate === true) result.terminate = true;
    if (outcome.isError === true) {
      const failure = failureOf(
        new Error(messageOf(result.content[0]?.type === "text" ? result.content[0].text : "")),
      );
      return { ...result, isError: true, failure };
    }
    return result;
  };
  const enforce =
    execution.tool.output !== undefined && outcome.isError !== true && outcome.value !== undefined;
  return enforce ? checked(execution, outcome.value, settle) : settle(outcome.value);
}

/** Enforces the output schema. The tool has run by now, and the failure says so. */
function checked(
  execution: Execution,
  value: unknown,
  settle: (value: unknown) => ToolResult,
): MaybePromise<ToolResult> {
  const { tool } = execution;
  const { jsonSchema, parse } = tool.output!;
  const issues = validatorFor(jsonSchema, { trusted: tool.trusted }).issues(value);
  if (issues.length > 0) return mismatch(execution, value, issues);
  if (parse === undefined) return settle(value);
  const conclude = (parsed: StandardResult) =>
    parsed.issues === undefined ? settle(parsed.value) : mismatch(execution, value, parsed.issues);
  const parsed = parse(value);
  if (!isThenable(parsed)) return conclude(parsed);
  return parsed.then(
    (each) => conclude(each as StandardResult),
    (error) => threw(execution, error),
  );
}

function mismatch(execution: Execution, value: unknown, issues: readonly { message: string }[]): ToolResult {
  const problems = issues.slice(0, 3).map((issue) => issue.message);
  return execution.failed({
    code: "TOOL_OUTPUT_INVALID",
    message: `${execution.tool.name} ran, but its output does not match its schema: ${problems.join("; ")}`,
    details: { output: toPlain(value), issues: problems },
  });
}
