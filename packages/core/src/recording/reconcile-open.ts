import { render } from "../call/content.ts";
import { STRICT } from "../call/decoded.ts";
import { makeFailedResult, makeResult, type ResultSubject } from "../call/make-result.ts";
import type { ToolResult } from "../call/result.ts";
import { describeFailure } from "../failure/failure.ts";
import { check } from "../options/check.ts";
import type { ToolList, ToolSource } from "../source/source.ts";
import { sourceOf } from "../source/source-of.ts";
import { stoppedAt } from "../stores/asked-question.ts";
import type { Ledger, OpenIntent } from "../stores/ledger.ts";
import { type WaitStore, waitId } from "../stores/waits.ts";
import { askReconcile } from "../tool/ask-reconcile.ts";
import { mayRepeat } from "../tool/safety.ts";

/** What became of an intent that was found open. */
export interface Reconciliation {
  intent: OpenIntent;
  outcome:
    | "completed"
    /** It never ran: the intent is withdrawn, and the same execution id may run. */
    | "never-ran"
    /** Nobody can say. The execution id answers `TOOL_OUTCOME_UNKNOWN` from now on. */
    | "unknown"
    /** Left open: the tool may run again when the call is repeated under its execution id. */
    | "repeatable"
    /** Left as it is: its result comes from elsewhere, or its tool asked something and never went on. */
    | "waiting"
    /** Left open: there is no such tool at the moment. */
    | "no-tool";
}

/**
 * For start-up, before the first call: closes what an earlier process left open. Each tool's `reconcile` is asked;
 * without an answer, a tool that may not run twice is marked as outcome unknown. Intents of processes that are still
 * alive are not touched.
 *
 * @example
 * ```ts
 * import { reconcileOpen, tool } from "@toolrig/core";
 * import { openStore } from "@toolrig/store";
 *
 * const paid = new Set<string>(); // what the bank knows
 * const pay = tool({
 *   name: "pay",
 *   description: "Pay",
 *   input: { type: "object" },
 *   reconcile: (_, key) => ({ outcome: paid.has(key) ? "completed" : "never-ran" }),
 *   execute: (_, { idempotencyKey }) => `paid ${paid.add(idempotencyKey).size}`,
 * });
 * console.log(await reconcileOpen(openStore("rig.db").ledger, [pay])); //=> []
 * ```
 */
export async function reconcileOpen(
  ledger: Ledger,
  tools: ToolList | ToolSource,
  waits?: WaitStore,
): Promise<Reconciliation[]> {
  if (ledger === undefined) throw check.invalid("ledger", LEDGER, ledger);
  check.has("ledger", ledger, ["open", "complete", "unknown", "withdraw"], LEDGER);
  const source = sourceOf(tools);
  const found: Reconciliation[] = [];
  for (const intent of await ledger.open()) {
    if (intent.running) continue;
    const outcome = (await isParked(intent, waits)) ? "waiting" : await close(intent, ledger, source);
    found.push({ intent, outcome });
  }
  return found;
}

/** The process died after it had written what is waited for, and before it gave up the intent. */
async function isParked({ executionId }: OpenIntent, waits: WaitStore | undefined): Promise<boolean> {
  if (waits === undefined) return false;
  const wait = await waits.get(waitId(executionId, "result"));
  if (wait !== undefined && wait.kind !== "background") return true;
  return (await stoppedAt(waits, executionId)) !== undefined;
}

const LEDGER = 'a ledger, such as openStore("rig.db").ledger';

async function close(
  intent: OpenIntent,
  ledger: Ledger,
  source: ToolSource,
): Promise<Reconciliation["outcome"]> {
  const { executionId, name, version } = intent;
  const tool = source.get(name, version === undefined ? undefined : `=${version}`) ?? source.get(name);
  if (tool === undefined) return "no-tool";
  const answer = await askReconcile(tool, intent.args, executionId);
  if (answer.outcome === "completed") {
    await ledger.complete(executionId, completedResult(intent, answer.value));
    return "completed";
  }
  if (answer.outcome === "never-ran") {
    await ledger.withdraw(executionId);
    return "never-ran";
  }
  if (mayRepeat(tool.safety)) return "repeatable";
  await ledger.unknown(executionId, unknownResult(intent));
  return "unknown";
}

function completedResult(intent: OpenIntent, value: unknown): ToolResult {
  const result = makeResult(ranOnce(intent), false, render(value));
  if (value !== undefined) result.value = value;
  return result;
}

function unknownResult(intent: OpenIntent): ToolResult {
  const message = `${intent.name} was started by a process that ended before it recorded an outcome. It may have happened; it was not run again.`;
  return makeFailedResult(ranOnce(intent), describeFailure({ code: "TOOL_OUTCOME_UNKNOWN", message }));
}

function ranOnce({ callId, executionId, name }: OpenIntent): ResultSubject {
  return { id: executionId, call: { id: callId, name }, decoded: STRICT, attempts: 1 };
}
