import type { Repair } from "@toolrig/json";
import { lessSure } from "@toolrig/json/kit";
import type { ToolResult } from "../call/result.ts";
import { type Conformed, conform } from "../coerce/conform.ts";
import { type ArgumentIssue, ToolrigError } from "../failure/failure.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import { messageOf } from "../plain.ts";
import { isDescribed } from "../schema/unknown-properties.ts";
import { validatorFor } from "../schema/validate.ts";
import type { Resolved } from "./execution.ts";
import { settleUnknownArguments, withUnknownArguments } from "./unknown-arguments.ts";

/**
 * Validates the arguments, coercing what can be coerced without loss. After this, `args` is what the tool expects; a result
 * says what is wrong with them.
 */
export function validateArguments(execution: Resolved): MaybePromise<ToolResult | undefined> {
  const { call, tool, args } = execution;
  const { jsonSchema, parse } = tool.input;
  try {
    // The usual call: nothing to ask a library, nothing to coerce, and nothing to allocate.
    if (parse === undefined) {
      const validator = validatorFor(jsonSchema, tool);
      if (validator.check(args)) {
        execution.input = args;
        if (validator.closed || isDescribed(validator.normal.root, args)) return undefined;
        return settleUnknown(execution);
      }
    }
    const text = typeof call.arguments === "string" ? call.arguments : undefined;
    const answer = conform(args, tool.input, { trusted: tool.trusted, text });
    return isThenable(answer)
      ? answer.then((later) => accept(execution, later)).catch((error) => unusable(execution, error))
      : accept(execution, answer);
  } catch (error) {
    return unusable(execution, error);
  }
}

/** Takes what validation came to. */
export function accept(execution: Resolved, answer: Conformed, shown?: unknown): ToolResult | undefined {
  if (!answer.ok) return invalid(execution, withUnknownArguments(execution, answer.issues));
  execution.args = answer.value;
  execution.input = answer.input;
  if (answer.repairs.length > 0) noteRepairs(execution, answer.repairs);
  return settleUnknown(execution, shown);
}

function noteRepairs(execution: Resolved, made: readonly Repair[]): void {
  const { mode, degree, repairs } = execution.decoded;
  execution.decoded = {
    mode: mode === "partial" ? mode : "repaired",
    degree: made.reduce((least, repair) => lessSure(least, repair.degree), degree),
    repairs: [...repairs, ...made],
  };
}

function settleUnknown(execution: Resolved, shown?: unknown): ToolResult | undefined {
  const issues = settleUnknownArguments(execution, shown);
  return issues === undefined ? undefined : invalid(execution, issues);
}

function invalid(execution: Resolved, issues: readonly ArgumentIssue[]): ToolResult {
  const count = issues.length === 1 ? "1 argument is" : `${issues.length} arguments are`;
  return execution.failed({
    kind: "validation",
    message: `${count} wrong, so ${execution.tool.name} did not run.`,
    details: { arguments: issues },
  });
}

/** A schema that cannot be used, or a validator that threw: the tool's fault, never the model's. */
export function unusable(execution: Resolved, error: unknown): ToolResult {
  const { name } = execution.tool;
  const reason = messageOf(error);
  if (ToolrigError.isInstance(error)) {
    return execution.failed({
      code: "TOOL_UNAVAILABLE",
      message: `${name} cannot be called: ${reason}`,
      retryable: false,
    });
  }
  return execution.failed({ kind: "fatal", message: `The validator of ${name} threw: ${reason}` });
}
