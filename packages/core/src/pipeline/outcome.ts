import { type ContentPart, textOf } from "../call/content.ts";
import { type Deferred, deferralOf } from "../call/deferred.ts";
import type { Effect } from "../call/effects.ts";
import { carefulLabels, joinLabels } from "../call/labels.ts";
import { makeResult } from "../call/make-result.ts";
import { contentOf, isOutcome, type MarkedOutcome, type Outcome, type ToolResult } from "../call/result.ts";
import { copy, safeCopy } from "../copy.ts";
import { failureOf } from "../failure/classify.ts";
import { type FailureInput, ToolFailure } from "../failure/failure.ts";
import { thrownError } from "../failure/thrown.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { jsonText, renderText, toPlain } from "../plain.ts";
import { waitId } from "../stores/waits.ts";
import type { Resolved } from "./execution.ts";
import { checkOutput } from "./output-schema.ts";
import { addReported } from "./reported-effects.ts";
import { waitingResult } from "./waiting/waiting-result.ts";

/** The result of a tool that returned. Whatever it returned, there is one. */
export function returned(execution: Resolved, value: unknown): MaybePromise<ToolResult> {
  try {
    if (ToolFailure.isInstance(value)) return threw(execution, value);
    const kind = deferralOf(value);
    if (kind !== undefined) return put(execution, kind, value as Deferred);
    if (isOutcome(value)) return fromOutcome(execution, value);
    const { output } = execution.tool;
    if (output !== undefined)
      return checkOutput(execution, output, value, (valid) => succeeded(execution, valid));
    return succeeded(execution, value);
  } catch (error) {
    return threw(execution, error);
  }
}

/** The tool says that its result comes later. */
function put(execution: Resolved, kind: "deferred" | "external" | "within", deferral: Deferred): ToolResult {
  if (kind === "within") return within(execution, deferral);
  // It would be known by its execution only from here on, and be started again by whoever comes for it.
  if (!execution.tool.ledger) return undeclared(execution);
  execution.move({ at: "deferred", deferral });
  const { effects, labels } = deferral;
  if (Array.isArray(effects)) addReported(execution, effects);
  execution.labels = joinLabels(execution.labels, carefulLabels(labels));
  return waitingResult(execution, { id: waitId(execution.id, "result"), kind });
}

function undeclared(execution: Resolved): ToolResult {
  const { name } = execution.tool;
  const message = `${name} deferred its result, and its definition does not say that it may: give it wait, check, cancel or ledger: true.`;
  return execution.failed({ kind: "fatal", message });
}

function within(execution: Resolved, { waiting }: Deferred): ToolResult {
  if (waiting === undefined || execution.isHeld) {
    const message = `${execution.tool.name} left a call that is held.`;
    return execution.failed({ code: "TOOL_UNAVAILABLE", message });
  }
  execution.move({ at: "suspended", until: "call" });
  return waitingResult(execution, waiting);
}

/** The result of a tool that threw. An abort that nobody asked for is the tool's own, not a cancellation. */
export function threw(execution: Resolved, thrown: unknown): ToolResult {
  const failure = failureOf(thrown);
  if (execution.services.events.active) {
    const error = thrownError(thrown);
    if (error !== undefined) execution.emit({ type: "call.error", attempt: execution.attempts, error });
  }
  const own = failure.kind === "cancelled" && !execution.cancelled && !ToolFailure.isInstance(thrown);
  return execution.failed(own ? { kind: "fatal", message: failure.message } : failure);
}

/**
 * The value is a copy: a tool may go on with the object that it returned. One that JSON cannot hold is replaced by a plain copy:
 * results are stored and sent, and must not fail there.
 */
function succeeded(execution: Resolved, returnedValue: unknown, content?: ContentPart[]): ToolResult {
  let value = returnedValue;
  let text: string;
  try {
    value = copy(returnedValue);
    text = jsonText(value);
  } catch {
    value = toPlain(returnedValue);
    text = renderText(value);
  }
  const result = makeResult(execution, false, content ?? [{ type: "text", text }]);
  if (value !== undefined) result.value = value;
  if (execution.labels !== undefined) result.labels = execution.labels;
  return result;
}

function fromOutcome(execution: Resolved, outcome: MarkedOutcome): MaybePromise<ToolResult> {
  const withValue = (value: unknown): ToolResult => {
    const content = outcome.content === undefined ? undefined : contentOf(outcome.content);
    const result = succeeded(execution, value, content);
    if (outcome.details !== undefined) result.details = safeCopy(outcome.details);
    if (outcome.terminate === true) result.terminate = true;
    if (outcome.isError === true) {
      const message =
        result.content[0]?.type === "text" ? result.content[0].text : "The tool reported an error.";
      const failure = execution.describe({ kind: "fatal", message });
      return { ...result, isError: true, content: withoutSecrets(execution, result.content), failure };
    }
    return result;
  };
  // Before the output is checked: what the tool changed is changed, whether or not its answer is well formed.
  if (Array.isArray(outcome.effects)) addReported(execution, outcome.effects);
  execution.labels = joinLabels(execution.labels, carefulLabels(outcome.labels));
  if (outcome.failure !== undefined) return failedWith(execution, outcome.failure, outcome);
  const { output } = execution.tool;
  return output === undefined || outcome.isError === true || outcome.value === undefined
    ? withValue(outcome.value)
    : checkOutput(execution, output, outcome.value, withValue);
}

function failedWith(execution: Resolved, failure: FailureInput, outcome: MarkedOutcome): ToolResult {
  const { content, value, details } = outcome;
  const result = execution.failed(failure);
  if (content !== undefined) result.content = withoutSecrets(execution, contentOf(content));
  if (value !== undefined) result.value = safeCopy(value);
  if (details !== undefined) result.details = safeCopy(details);
  return result;
}

/** The content of a failure is its message: what may not be shown of one is not shown of the other. */
function withoutSecrets({ services }: Resolved, content: readonly ContentPart[]): ContentPart[] {
  return content.map((part) =>
    part.type === "text" ? { ...part, text: services.redactor.text(part.text) } : part,
  );
}

/** A result of which a guard or hook replaced parts. What the tool did stands: effects can be added to, labels joined. */
export function rewritten(execution: Resolved, result: ToolResult, given: Outcome): ToolResult {
  const change = safeCopy(given);
  const next: ToolResult = { ...result };
  if (change.content !== undefined) next.content = contentOf(change.content);
  if ("value" in change) next.value = change.value;
  else if (change.content !== undefined) delete next.value;
  if ("details" in change) next.details = change.details;
  if (change.terminate !== undefined) next.terminate = change.terminate;
  const added = carefulLabels(change.labels);
  const labels = joinLabels(result.labels, added);
  if (labels !== undefined) next.labels = labels;
  execution.labels = joinLabels(execution.labels, added);
  if (change.effects !== undefined) addEffects(execution, result, change.effects);
  if (change.isError === true && !next.isError) {
    next.isError = true;
    next.failure = execution.describe({ kind: "fatal", message: textOf(next.content) });
    next.content = withoutSecrets(execution, next.content);
  }
  if (change.isError === false) {
    next.isError = false;
    delete next.failure;
  }
  return next;
}

/** A hook that spreads the result it was given repeats its effects; only what is new is added. */
function addEffects(execution: Resolved, result: ToolResult, effects: readonly Effect[]): void {
  const known = execution.effects ?? result.effects ?? [];
  const texts = new Set(known.map(renderText));
  const added = effects.filter((effect) => !texts.has(renderText(effect)));
  if (added.length === 0) return;
  execution.effects = [...known];
  addReported(execution, added);
}
