import type { ToolResult } from "../../call/result.ts";
import { failureOf } from "../../failure/classify.ts";
import { isThenable } from "../../maybe-promise.ts";
import type { Resolved } from "../execution.ts";

/** The tool's own rewrite of raw arguments, before they are validated, in the shape that it knows. */
export function rewrite(execution: Resolved): ToolResult | undefined | Promise<ToolResult | undefined> {
  const { tool, call, options } = execution;
  if (options.reshape !== undefined) execution.args = options.reshape(execution.args, call);
  if (tool.prepare === undefined) return undefined;
  try {
    const prepared = tool.prepare(execution.args);
    if (isThenable(prepared))
      return Promise.resolve(prepared).then(
        (value) => accept(execution, value),
        (error) => refuse(execution, error),
      );
    return accept(execution, prepared);
  } catch (error) {
    return refuse(execution, error);
  }
}

function accept(execution: Resolved, prepared: unknown): undefined {
  if (prepared !== undefined) execution.args = prepared;
}

function refuse(execution: Resolved, thrown: unknown): ToolResult {
  const failure = failureOf(thrown);
  return execution.failed({
    ...failure,
    message: `prepare of ${execution.tool.name} failed: ${failure.message}`,
  });
}
