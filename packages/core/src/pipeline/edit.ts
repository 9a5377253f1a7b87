import { argumentsText } from "../call/fingerprint.ts";
import type { ToolResult } from "../call/result.ts";
import { type Conformed, conform } from "../coerce/conform.ts";
import { copy } from "../copy.ts";
import type { ArgumentIssue } from "../failure/failure.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { hasSideEffects } from "../tool/safety.ts";
import type { Resolved } from "./execution.ts";
import { asEdited, asGiven } from "./transformed-parts.ts";
import { unknownArguments } from "./unknown-arguments.ts";
import { accept, unusable, validateArguments } from "./validate-arguments.ts";

/**
 * Puts arguments in the place of those that a guard or an approver was shown, and validates them. They were shown as the
 * tool gets them, and so they are taken: what the schema has transformed is not transformed again.
 */
export function validateEdit(execution: Resolved, given: unknown): MaybePromise<ToolResult | undefined> {
  const edited = copy(given);
  if (execution.tool.input.parse !== undefined) return validateTransformed(execution, edited);
  execution.args = edited;
  return validateArguments(execution);
}

async function validateTransformed(execution: Resolved, edited: unknown): Promise<ToolResult | undefined> {
  try {
    const { answer, shown } = await conformEdit(execution, edited);
    return accept(execution, answer, shown);
  } catch (error) {
    return unusable(execution, error);
  }
}

/** What edited arguments come to, and the arguments as they were shown, where a library made those. */
async function conformEdit(
  { tool, input }: Resolved,
  edited: unknown,
): Promise<{ answer: Conformed; shown?: unknown }> {
  if (tool.input.parse === undefined) return { answer: await conform(edited, tool.input, tool) };
  // Made anew: whoever edited may have changed the very object that was shown to them.
  const before = await conform(input, tool.input, tool);
  if (!before.ok) return { answer: before };
  const { value: shown } = before;
  const answer = await conform(asGiven(edited, shown, input), tool.input, tool);
  if (!answer.ok) return { answer, shown };
  return { answer: { ...answer, value: asEdited(edited, shown, answer.value) }, shown };
}

/** What is wrong with arguments that would take the place of a call's own. Changes nothing. */
export async function checkEdit(execution: Resolved, edited: unknown): Promise<readonly ArgumentIssue[]> {
  const { tool } = execution;
  const { answer, shown } = await conformEdit(execution, edited);
  if (!answer.ok) return answer.issues;
  return (hasSideEffects(tool.safety) && unknownArguments(tool, answer, shown)?.issues) || [];
}

/** The schema that decides about edited arguments alone. Undefined where a library has made something else of these. */
export function editSchema({ tool, args, input }: Resolved): JsonSchema | undefined {
  const { jsonSchema, parse } = tool.input;
  return parse === undefined || argumentsText(args) === argumentsText(input) ? jsonSchema : undefined;
}
