import { messageOf } from "../content.ts";
import type { Execution } from "../execution.ts";
import type { AfterVerdict, Guard } from "../guard.ts";
import { contentOf, type Outcome, type ToolResult } from "../result.ts";

/** Shows the result to every guard in order. They can change what the model reads, never what the tool did. */
export async function after(execution: Execution, result: ToolResult): Promise<ToolResult> {
  let current = result;
  for (const guard of execution.system.guards) {
    if (guard.after === undefined || execution.tool === undefined) continue;
    const verdict = await ask(guard, execution, current);
    if (verdict !== undefined) current = apply(verdict, guard, execution, current);
  }
  return current;
}

async function ask(
  guard: Guard,
  execution: Execution,
  result: ToolResult,
): Promise<AfterVerdict | undefined> {
  try {
    return await guard.after!({ ...execution.guardInput(), result });
  } catch (error) {
    return { verdict: "deny", reason: `guard ${guard.name} failed after the tool ran: ${messageOf(error)}` };
  }
}

function apply(verdict: AfterVerdict, guard: Guard, execution: Execution, result: ToolResult): ToolResult {
  const reason = "reason" in verdict ? verdict.reason : "text" in verdict ? verdict.text : undefined;
  execution.emit({
    type: "call.verdict",
    phase: "after",
    guard: guard.name,
    verdict: verdict.verdict,
    ...(reason !== undefined && { reason }),
  });
  switch (verdict.verdict) {
    case "deny": {
      const { code = "TOOL_BLOCKED" } = verdict;
      return execution.failed({
        code,
        message: `${verdict.reason} (the tool has run)`,
        details: { guard: guard.name },
      });
    }
    case "rewrite":
      return rewritten(execution, result, verdict.result);
    case "advise":
      execution.advice = [...(execution.advice ?? []), verdict.text];
      return result;
    case "stop":
      execution.stop = verdict.reason;
      return result;
    default:
      return result;
  }
}

function rewritten(execution: Execution, result: ToolResult, change: Outcome): ToolResult {
  const next: ToolResult = { ...result };
  if (change.content !== undefined) next.content = contentOf(change.content);
  if ("value" in change) next.value = change.value;
  else if (change.content !== undefined) delete next.value;
  if ("details" in change) next.details = change.details;
  if (change.terminate !== undefined) next.terminate = change.terminate;
  if (change.effects !== undefined) execution.effects = [...(execution.effects ?? []), ...change.effects];
  if (change.isError === true && !next.isError) {
    const message = next.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    const { failure } = execution.failed({ kind: "fatal", message });
    next.isError = true;
    next.failure = failure!;
  }
  if (change.isError === false) {
    next.isError = false;
    delete next.failure;
  }
  return next;
}
