import type { CallOptions, ToolCall } from "../../call/call.ts";
import type { DataLabels } from "../../call/labels.ts";
import { onWaitingOf } from "../../call/on-waiting.ts";
import { defined } from "../../defined.ts";
import type { Wait } from "../../stores/waits.ts";
import type { Execution } from "../execution.ts";
import type { Pipeline } from "../pipeline.ts";
import { readBy } from "../read-by.ts";
import type { Services } from "../services.ts";
import { putAway } from "./put-away.ts";

/** A call that nobody comes back for: it goes on by itself when what it waits for has ended. Plain data. */
export interface LeftCall {
  /** Of the call, where it waits for one that its tool has made. */
  executionId?: string;
  call: ToolCall;
  options: Pick<
    CallOptions,
    "runId" | "requestId" | "stepName" | "parentId" | "principal" | "allow" | "source" | "trace"
  >;
  /** By its run, when it was left. */
  read?: DataLabels;
}

/** What is kept of a call for that; undefined where somebody comes back for it. */
export function leftCall(execution: Execution): LeftCall | undefined {
  if (execution.isHeld || onWaitingOf(outermostOf(execution).options.onWaiting) !== "continue")
    return undefined;
  return madeCall(execution);
}

function outermostOf(execution: Execution): Execution {
  let outermost = execution;
  while (outermost.parent !== undefined) outermost = outermost.parent;
  return outermost;
}

/** How any process makes the call again, under its execution: of a call that a tool made, the tool's own. */
export function madeCall(execution: Execution): LeftCall {
  const outermost = outermostOf(execution);
  const { call, options, id } = outermost;
  const { runId, requestId, stepName, parentId, principal, allow, source } = options;
  const { trace } = outermost;
  const given = { runId, requestId, stepName, parentId, principal, allow, source, trace };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  const own = outermost === execution ? {} : { executionId: id };
  const read = readBy(execution);
  return { ...own, call, options: Object.fromEntries(known), ...defined({ read }) };
}

export function leftBy({ body }: Wait): LeftCall | undefined {
  return (body as { left?: LeftCall } | undefined)?.left;
}

/** Makes the call again, under its execution. False where its tool is not at hand, or another process is at it. */
export async function proceed(services: Services, pipeline: Pipeline, wait: Wait): Promise<boolean> {
  const left = leftBy(wait);
  if (left === undefined) return true;
  const { call, options, executionId = wait.executionId, read } = left;
  if (services.source.get(call.name, call.version) === undefined) return false;
  const answer = await pipeline.call(
    call,
    { ...options, executionId, onWaiting: "continue" },
    undefined,
    read,
  );
  // That process may have looked before this wait ended, and puts the call aside after it.
  if (answer.failure?.code === "TOOL_UNAVAILABLE" && (await isUnderWay(services, executionId))) return false;
  await putAway(services, wait.id);
  return true;
}

async function isUnderWay({ ledger }: Services, executionId: string): Promise<boolean> {
  const known = await ledger.get?.(executionId);
  return known !== undefined && known.result === undefined;
}
