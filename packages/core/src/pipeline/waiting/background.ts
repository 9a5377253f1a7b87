import { BACKGROUND } from "../../call/call-state.ts";
import { isWaiting, type ToolResult } from "../../call/result.ts";
import { sleep, wallTime } from "../../clock.ts";
import { defined } from "../../defined.ts";
import { failureOf } from "../../failure/classify.ts";
import type { Wait } from "../../stores/waits.ts";
import { waitId } from "../../stores/waits.ts";
import type { Resolved } from "../execution.ts";
import { settle } from "../settle/settle.ts";
import { tellResumed } from "./conclude.ts";
import { endWait } from "./end-wait.ts";
import { LEASE_MS } from "./keeper.ts";
import { parkedCall } from "./parked-call.ts";
import { putAway } from "./put-away.ts";
import { takeBackQuestions } from "./question.ts";
import { seeThrough } from "./see-through.ts";
import { shownOf, waitingResult } from "./waiting-result.ts";

/**
 * A call that takes longer than its tool's `background`, made by somebody who does not hold it, is answered with what it waits
 * for: itself. Its code goes on here, and is settled when it ends.
 */
export async function inBackground(
  execution: Resolved,
  running: Promise<ToolResult>,
  afterMs: number,
): Promise<ToolResult> {
  const { services } = execution;
  const ended = new AbortController();
  const over = running.finally(() => ended.abort());
  if (!(await sleep(services.clock, afterMs, ended.signal))) return over;
  const wait = await Promise.resolve(services.waits.add(waitFor(execution))).catch(() => undefined);
  // What cannot be listed is not let go of.
  if (wait === undefined) return over;
  const waiting = shownOf(wait);
  if (execution.state.at === "running") execution.move(BACKGROUND);
  execution.emit({ type: "call.waiting", waiting, parked: false });
  void finishInBackground(execution, wait, over);
  return waitingResult(execution, waiting);
}

function waitFor(execution: Resolved): Wait {
  const { services, id, call, tool, options, attempts } = execution;
  const { runId, principal } = options;
  const createdAt = wallTime(services.clock);
  return {
    id: waitId(id, `background-${attempts}`),
    kind: "background",
    executionId: id,
    callId: call.id,
    name: tool.name,
    ...defined({ runId, principal }),
    createdAt,
    nextAt: createdAt + LEASE_MS,
    body: parkedCall(execution),
  };
}

/** What it comes to may be another wait: then it goes on as that. */
async function finishInBackground(
  execution: Resolved,
  wait: Wait,
  running: Promise<ToolResult>,
): Promise<void> {
  const { services } = execution;
  const over = new AbortController();
  const done = running.finally(() => over.abort());
  // Somebody may cancel it, here or elsewhere.
  void services.watch.until(wait.id, over.signal).then((seen) => {
    if (seen !== undefined) execution.running?.cancel();
  });
  void stayAlive(execution, wait, over.signal);
  const came = await done.catch((error): ToolResult => execution.failed(failureOf(error)));
  const outcome = !isWaiting(came) ? came : await seeThrough(execution, came);
  const end = { how: "completed", at: wallTime(services.clock) };
  const { wait: ended } = await endWait(services, wait, "completed").catch(() => ({
    wait: { ...wait, end },
  }));
  if (!isWaiting(outcome)) tellResumed(execution, ended);
  if (!isWaiting(outcome) && execution.state.at === "asking")
    await takeBackQuestions(execution).catch(() => {});
  await settle(execution, outcome);
  services.watch.tell(ended);
  await putAway(services, wait.id).catch(() => {});
}

/** Says from time to time that this process still has it. */
async function stayAlive({ services }: Resolved, { id }: Wait, over: AbortSignal): Promise<void> {
  while (await sleep(services.clock, LEASE_MS / 3, over)) {
    const nextAt = wallTime(services.clock) + LEASE_MS;
    await Promise.resolve(
      services.waits.revise(id, (wait) => (wait.end === undefined ? { ...wait, nextAt } : undefined)),
    ).catch(() => {});
  }
}
