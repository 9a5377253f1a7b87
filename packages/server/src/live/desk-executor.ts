import type { CallExecutor, Executor, ToolResult } from "@toolrig/core";
import { failedResult, newId } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import type { ServedRig } from "../served-rig.ts";
import type { CallDesk } from "./call-desk.ts";

/**
 * The executor of a rig for whoever takes calls in another protocol: they have the slots of the desk, and are cancelled and
 * waited for as those of the API are. What there is no place for is answered, and was not begun.
 */
export function deskExecutor(
  { executor }: ServedRig,
  desk: CallDesk,
): CallExecutor & Pick<Executor, "artifacts"> {
  const { events, tools, refuses, asksBeforeRun, flow, waits, artifacts } = executor;
  return {
    events,
    tools,
    refuses,
    asksBeforeRun,
    flow,
    waits,
    artifacts,
    async call(call, options = {}) {
      const none = await placesFor(desk, 1, options.onWaiting);
      if (none === undefined) return desk.make(call, options);
      return notBegun(call, options.executionId, none);
    },
    async batch(calls, options = {}) {
      const none = await placesFor(desk, calls.length, options.onWaiting);
      if (none === undefined) return desk.makeBatch(calls, options);
      return calls.map((call, index) => notBegun(call, options.executionIds?.[index], none));
    },
    definitions: () => executor.definitions(),
    forget: (runId) => executor.forget(runId),
  };
}

/** Why there are none. */
async function placesFor(
  { slots }: CallDesk,
  count: number,
  onWaiting: string | undefined,
): Promise<string | undefined> {
  try {
    await slots.enter(count, onWaiting === "hold");
    return undefined;
  } catch (error) {
    if (error instanceof RequestProblem) return error.message;
    throw error;
  }
}

function notBegun(
  call: { id: string; name: string },
  executionId: string | undefined,
  message: string,
): ToolResult {
  return failedResult(call, executionId ?? newId("exec"), { code: "TOOL_UNAVAILABLE", message });
}
