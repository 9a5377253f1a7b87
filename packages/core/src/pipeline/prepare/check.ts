import type { ToolResult } from "../../call/result.ts";
import { type ArgumentIssue, ToolrigError } from "../../failure/failure.ts";
import { coerce } from "../../json/coerce.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import type { StandardResult } from "../../schema/standard.ts";
import { validatorFor } from "../../schema/validate.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Execution } from "../execution.ts";

/** Validates the arguments, coercing what can be coerced without loss. After this, `args` is what the tool expects. */
export function check(execution: Execution): MaybePromise<ToolResult | undefined> {
  const answer = recheck(execution);
  if (execution.decoded.mode === "strict") return answer;
  return isThenable(answer)
    ? answer.then((settled) => settled ?? announce(execution))
    : (answer ?? announce(execution));
}

/** As `check`, for arguments that a guard or an approver put in the place of the model's. */
export function recheck(execution: Execution): MaybePromise<ToolResult | undefined> {
  const { tool } = execution;
  try {
    const { jsonSchema } = tool.input;
    const validator = validatorFor(jsonSchema, { trusted: tool.trusted });
    if (!validator.check(execution.args)) {
      const coerced = coerce(execution.args, jsonSchema, { trusted: tool.trusted });
      if (!coerced.ok) return invalid(execution, coerced.issues);
      execution.args = coerced.value;
      const { mode, repairs } = execution.decoded;
      execution.decoded = {
        mode: mode === "partial" ? mode : "repaired",
        repairs: [...repairs, ...coerced.repairs],
      };
    }
    return tool.input.parse === undefined ? undefined : parse(execution);
  } catch (error) {
    return unusable(execution, error);
  }
}

/** The schema library's own validator has the last word, and may transform. */
function parse(execution: Execution): MaybePromise<ToolResult | undefined> {
  const parsed = execution.tool.input.parse!(execution.args);
  if (!isThenable(parsed)) return accept(execution, parsed);
  return Promise.resolve(parsed as Promise<StandardResult>)
    .then((value) => accept(execution, value))
    .catch((error) => unusable(execution, error));
}

function accept(execution: Execution, parsed: StandardResult): ToolResult | undefined {
  if (parsed.issues !== undefined) return invalid(execution, parsed.issues.map(libraryIssue));
  execution.args = parsed.value;
  return undefined;
}

function announce(execution: Execution): undefined {
  const { mode, repairs } = execution.decoded;
  if (mode === "strict") return undefined;
  execution.services.counters.repaired += 1;
  execution.emit({ type: "call.repaired", repairs, mode });
}

function libraryIssue(issue: { message: string; path?: readonly unknown[] | undefined }): ArgumentIssue {
  const keys = (issue.path ?? []).map((part) =>
    String(typeof part === "object" && part !== null && "key" in part ? part.key : part),
  );
  const path = keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  const message = keys.length === 0 ? issue.message : `${keys.join(".")}: ${issue.message}`;
  return { path, expected: issue.message, received: "", message };
}

function invalid(execution: Execution, issues: readonly ArgumentIssue[]): ToolResult {
  const count = issues.length === 1 ? "1 argument is" : `${issues.length} arguments are`;
  return execution.failed({
    kind: "validation",
    message: `${count} wrong, so ${execution.tool.name} did not run.`,
    details: { arguments: issues },
  });
}

/** A schema that cannot be used, or a validator that threw: the tool's fault, never the model's. */
function unusable(execution: Execution, error: unknown): ToolResult {
  const { name }: AnyTool = execution.tool;
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
