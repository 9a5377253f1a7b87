import { unreachable } from "../../call/call-state.ts";
import { isWaiting, type ToolResult } from "../../call/result.ts";
import { failureOf } from "../../failure/classify.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Resolved } from "../execution.ts";
import { INTERRUPTED, unlessInterrupted } from "../interruption.ts";
import type { Services } from "../services.ts";
import { inBackground } from "../waiting/background.ts";
import { parkWithin } from "../waiting/park.ts";
import { takeBackQuestions } from "../waiting/question.ts";
import { seeThrough } from "../waiting/see-through.ts";
import { approve } from "./approve.ts";
import { attempt } from "./attempt.ts";
import type { Layer, Next } from "./layer.ts";
import { ledger } from "./ledger.ts";
import { limit } from "./limit.ts";
import { invalidateMemo, memo } from "./memo.ts";
import { retry } from "./retry.ts";

/** From the outside in. The deadline is part of `attempt`: it covers one start of the tool, not the waiting before it. */
const LAYERS: readonly Layer[] = [memo, invalidateMemo, ledger, limit, retry];

/** Carries out a prepared call. Never throws. */
export async function execute(execution: Resolved): Promise<ToolResult> {
  const { tool, services } = execution;
  if (services.events.active) execution.preparedAt = services.clock.now();
  let isOver = true;
  try {
    const { asks } = execution;
    if (asks !== undefined) {
      const settled = await approve(execution, asks);
      if (settled !== undefined) return settled;
    }
    if (execution.options.beforeRun !== undefined) {
      const kept = await mayRun(execution, execution.options.beforeRun);
      if (kept !== undefined) return kept;
    }
    const turn = execution.turn?.();
    if (isThenable(turn)) {
      const kept = await mayRun(execution, () => turn);
      if (kept !== undefined) return kept;
    }
    const answer = pathOf(tool, services)(execution);
    const result = isThenable(answer) ? await mayTake(execution, answer) : answer;
    isOver = !isWaiting(result);
    return isOver ? result : await awaitOutside(execution, result);
  } catch (error) {
    return execution.failed(failureOf(error));
  } finally {
    if (isOver && execution.state.at === "asking") await takeBackQuestions(execution).catch(() => {});
    if (execution.endedAt === 0) execution.endedAt = services.clock.now();
  }
}

/** Whoever makes the call has the last word on whether it runs. */
async function mayRun(execution: Resolved, ask: () => Promise<unknown>): Promise<ToolResult | undefined> {
  try {
    if ((await unlessInterrupted(execution, ask())) !== INTERRUPTED) return undefined;
    return execution.failed({ code: "TOOL_CANCELLED", message: "The call was cancelled before it ran." });
  } catch (error) {
    return execution.failed({ code: "TOOL_CANCELLED", message: `The call did not run: ${messageOf(error)}` });
  }
}

/** The answer of a tool that takes its time: longer than it may be waited for, it goes on in the background. */
function mayTake(execution: Resolved, answer: Promise<ToolResult>): Promise<ToolResult> {
  const { backgroundMs } = execution.tool;
  if (backgroundMs === undefined || execution.isHeld) return answer;
  return inBackground(execution, answer, backgroundMs);
}

/** Waits for a result that another call or process delivers. An answer, or the call's own code, is waited for elsewhere. */
function awaitOutside(execution: Resolved, result: ToolResult): MaybePromise<ToolResult> {
  const { state } = execution;
  switch (state.at) {
    case "deferred":
    case "joined":
      return seeThrough(execution, result);
    case "suspended":
      return state.until === "call" ? parkWithin(execution, result) : result;
    case "preparing":
    case "running":
    case "asking":
    case "background":
    case "taken":
    case "parked":
    case "over":
    case "broken":
      return result;
    default:
      return unreachable(state);
  }
}

/** The layers that apply to a tool around one attempt, put together once. */
function pathOf(tool: AnyTool, services: Services): Next {
  let path = services.paths.get(tool);
  if (path === undefined) {
    path = LAYERS.filter((layer) => layer.applies(tool, services)).reduceRight(
      (next: Next, layer) => layer.wrap(tool, services, next),
      attempt,
    );
    services.paths.set(tool, path);
  }
  return path;
}
