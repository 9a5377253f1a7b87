import type { ToolResult } from "../call/result.ts";
import { type ArgumentIssue, ToolrigError } from "../failure/failure.ts";
import { coerce } from "../json/coerce.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import { messageOf } from "../plain.ts";
import type { AcceptedSchema } from "../schema/accept.ts";
import type { StandardResult } from "../schema/standard.ts";
import { validatorFor } from "../schema/validate.ts";
import type { Resolved } from "./execution.ts";

/**
 * Validates the arguments, coercing what can be coerced without loss. After this, `args` is what the tool expects; a result
 * says what is wrong with them. Also for arguments that a guard or an approver put in the place of the model's.
 */
export function validateArguments(execution: Resolved): MaybePromise<ToolResult | undefined> {
  const { tool } = execution;
  try {
    const { jsonSchema } = tool.input;
    const validator = validatorFor(jsonSchema, { trusted: tool.trusted });
    if (!validator.check(execution.args)) {
      const coerced = coerce(execution.args, jsonSchema, { trusted: tool.trusted });
      if (!coerced.ok) return invalid(execution, coerced.issues);
      execution.args = coerced.value;
      const { mode, degree, repairs } = execution.decoded;
      execution.decoded = {
        mode: mode === "partial" ? mode : "repaired",
        degree,
        repairs: [...repairs, ...coerced.repairs],
      };
    }
    const { parse } = tool.input;
    return parse === undefined ? undefined : parseArguments(execution, parse);
  } catch (error) {
    return unusable(execution, error);
  }
}

/** The schema library's own validator has the last word, and may transform. */
function parseArguments(
  execution: Resolved,
  parse: NonNullable<AcceptedSchema["parse"]>,
): MaybePromise<ToolResult | undefined> {
  const parsed = parse(execution.args);
  if (!isThenable(parsed)) return accept(execution, parsed);
  return Promise.resolve(parsed as Promise<StandardResult>)
    .then((value) => accept(execution, value))
    .catch((error) => unusable(execution, error));
}

function accept(execution: Resolved, parsed: StandardResult): ToolResult | undefined {
  if (parsed.issues !== undefined) return invalid(execution, parsed.issues.map(libraryIssue));
  execution.args = parsed.value;
  return undefined;
}

function libraryIssue(issue: { message: string; path?: readonly unknown[] | undefined }): ArgumentIssue {
  const keys = (issue.path ?? []).map((part) =>
    String(typeof part === "object" && part !== null && "key" in part ? part.key : part),
  );
  const path = keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  const message = keys.length === 0 ? issue.message : `${keys.join(".")}: ${issue.message}`;
  return { path, expected: issue.message, received: "", message };
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
function unusable(execution: Resolved, error: unknown): ToolResult {
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
