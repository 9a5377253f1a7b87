import type { ToolResult } from "../call/result.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import { messageOf, toPlain } from "../plain.ts";
import type { AcceptedSchema } from "../schema/accept.ts";
import { explainRefusal } from "../schema/library-issues.ts";
import type { StandardResult } from "../schema/standard.ts";
import { validatorFor } from "../schema/validate.ts";
import type { Resolved } from "./execution.ts";

/** Enforces the output schema. The tool has run by now, and the failure says so. */
export function checkOutput(
  execution: Resolved,
  { jsonSchema, parse }: AcceptedSchema,
  value: unknown,
  withValue: (value: unknown) => ToolResult,
): MaybePromise<ToolResult> {
  const validator = validatorFor(jsonSchema, { trusted: execution.tool.trusted });
  if (parse === undefined) {
    const issues = validator.issues(value);
    return issues.length > 0 ? mismatch(execution, value, issues) : withValue(value);
  }
  const conclude = (parsed: StandardResult) =>
    parsed.issues === undefined
      ? withValue(parsed.value)
      : mismatch(execution, value, explainRefusal(validator, value, parsed.issues));
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

function mismatch(execution: Resolved, value: unknown, issues: readonly { message: string }[]): ToolResult {
  const problems = issues.slice(0, 3).map((issue) => issue.message);
  return execution.failed({
    code: "TOOL_OUTPUT_INVALID",
    message: `${execution.tool.name} ran, but its output does not match its schema: ${problems.join("; ")}`,
    details: { output: toPlain(value), issues: problems },
  });
}
