import type { CallOptions, ToolCall } from "../../call/call.ts";
import type { Wait } from "../../stores/waits.ts";
import type { Execution } from "../execution.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Services } from "../services.ts";
import { putAway } from "./park.ts";

/** A call that nobody comes back for: it goes on by itself when what it waits for has ended. Plain data. */
export interface LeftCall {
  call: ToolCall;
  options: Pick<CallOptions, "runId" | "requestId" | "stepName" | "parentId" | "principal" | "source">;
}

/** What is kept of a call for that; undefined where somebody comes back for it. */
export function leftCall({ call, options, parent }: Execution): LeftCall | undefined {
  if (options.onWaiting !== "leave" || parent !== undefined) return undefined;
  const { runId, requestId, stepName, parentId, principal, source } = options;
  const given = { runId, requestId, stepName, parentId, principal, source };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { call, options: Object.fromEntries(known) };
}

function leftBy({ body }: Wait): LeftCall | undefined {
  return (body as { left?: LeftCall } | undefined)?.left;
}

/** Makes the call again, under its execution. False where its tool is not at hand. */
export async function proceed(services: Services, pipeline: Pipeline, wait: Wait): Promise<boolean> {
  const left = leftBy(wait);
  if (left === undefined) return true;
  const { call, options } = left;
  if (services.source.get(call.name, call.version) === undefined) return false;
  await pipeline.call(call, { ...options, executionId: wait.executionId, onWaiting: "leave" }, undefined);
  await putAway(services, wait.id);
  return true;
}
