import type { ContentPart } from "../../call/content.ts";
import { joinLabels } from "../../call/labels.ts";
import { makeResult } from "../../call/make-result.ts";
import { contentOf, isOutcome, type MarkedOutcome, type ToolResult } from "../../call/result.ts";
import { failureOf } from "../../failure/classify.ts";
import { ToolFailure } from "../../failure/failure.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { jsonText, messageOf, renderText, toPlain } from "../../plain.ts";
import type { StandardResult } from "../../schema/standard.ts";
import { validatorFor } from "../../schema/validate.ts";
import type { Execution } from "../execution.ts";

/** The result of a tool that returned. Whatever it returned, there is one. */
export function returned(execution: Execution, value: unknown): MaybePromise<ToolResult> {
  try {
    if (ToolFailure.isInstance(value)) return threw(execution, value);
    if (isOutcome(value)) return fromOutcome(execution, value);
    if (execution.tool.output !== undefined)
      return checked(execution, value, (valid) => succeeded(execution, valid));
    return succeeded(execution, value);
  } catch (error) {
    return threw(execution, error);
  }
}

/** The result of a tool that threw. An abort that nobody asked for is the tool's own, not a cancellation. */
export function threw(execution: Execution, thrown: unknown): ToolResult {
  const failure = failureOf(thrown);
  const own = failure.kind === "cancelled" && !execution.cancelled && !ToolFailure.isInstance(thrown);
  return execution.failed(own ? { kind: "fatal", message: failure.message } : failure);
}

/** A value that JSON cannot hold is replaced by a plain copy: results are stored and sent, and must not fail there. */
function succeeded(execution: Execution, returnedValue: unknown, content?: ContentPart[]): ToolResult {
  let value = returnedValue;
  let text: string;
  try {
    text = jsonText(value);
  } catch {
    value = toPlain(value);
    text = renderText(value);
  }
  const result = makeResult(execution, false, content ?? [{ type: "text", text }]);
  if (value !== undefined) result.value = value;
  if (execution.labels !== undefined) result.labels = execution.labels;
  return result;
}

function fromOutcome(execution: Execution, outcome: MarkedOutcome): MaybePromise<ToolResult> {
  const settle = (value: unknown): ToolResult => {
    const content = outcome.content === undefined ? undefined : contentOf(outcome.content);
    const result = succeeded(execution, value, content);
    if (outcome.details !== undefined) result.details = outcome.details;
    if (outcome.terminate === true) result.terminate = true;
    if (outcome.isError === true) {
      const message =
        result.content[0]?.type === "text" ? result.content[0].text : "The tool reported an error.";
      return { ...result, isError: true, failure: execution.failed({ kind: "fatal", message }).failure! };
    }
    return result;
  };
  // Before the output is checked: what the tool changed is changed, whether or not its answer is well formed.
  if (Array.isArray(outcome.effects)) execution.effects = [...(execution.effects ?? []), ...outcome.effects];
  execution.labels = joinLabels(execution.labels, outcome.labels);
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
  const broken = (error: unknown) => mismatch(execution, value, [{ message: messageOf(error) }]);
  try {
    const parsed = parse(value);
    return isThenable(parsed)
      ? Promise.resolve(parsed as Promise<StandardResult>)
          .then(conclude)
          .catch(broken)
      : conclude(parsed);
  } catch (error) {
    return broken(error);
  }
}

function mismatch(execution: Execution, value: unknown, issues: readonly { message: string }[]): ToolResult {
  const problems = issues.slice(0, 3).map((issue) => issue.message);
  return execution.failed({
    code: "TOOL_OUTPUT_INVALID",
    message: `${execution.tool.name} ran, but its output does not match its schema: ${problems.join("; ")}`,
    details: { output: toPlain(value), issues: problems },
  });
}
