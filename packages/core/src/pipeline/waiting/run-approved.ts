import type { CallOptions } from "../../call/call.ts";
import type { ToolResult } from "../../call/result.ts";
import { wallTime } from "../../clock.ts";
import type { PendingApproval } from "../../stores/approvals.ts";
import { type Wait, type WaitStore, waitId } from "../../stores/waits.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Services } from "../services.ts";
import type { LeftCall } from "./left-call.ts";
import { refused } from "./refused.ts";

/** How long a process that holds a call has to start it once it is approved. */
const GRACE_MS = 5_000;
/** For how long an approval counts whose call no process runs. Retention of a store keeps it for as long. */
const APPROVED_FOR_MS = 7 * 24 * 3_600_000;
const PAGE = 100;
/** Calls of tools that are elsewhere stay listed, and must not hide the others. */
const MOST = 10_000;
/** So many are run at once: one that takes its time holds up no others. */
const AT_ONCE = 16;

/** Returns approvals that were given and whose calls no process runs, the oldest first. Empty where the store cannot tell. */
export async function approvedNotRunning(
  waits: WaitStore,
  now: number,
  limit: number = PAGE,
): Promise<readonly Wait[]> {
  return (
    (await waits.approvedNotRun?.({ after: now - APPROVED_FOR_MS, before: now - GRACE_MS, limit })) ?? []
  );
}

export type RunApprovedOptions = Pick<CallOptions, "signal" | "onWaiting">;

/**
 * Runs an approved call as it was made, on behalf of whom it was made for. Rejects with `COMPLETION_REFUSED` when it was not approved,
 * or is not kept. A call that is over is answered with its result, and one that runs elsewhere is not run twice: the ledger decides.
 */
export async function runApproved(
  services: Services,
  pipeline: Pipeline,
  executionId: string,
  given: RunApprovedOptions = {},
): Promise<ToolResult> {
  const wait = await services.waits.get(waitId(executionId, "approval"));
  const made = wait === undefined ? undefined : madeBy(wait);
  if (wait === undefined || made === undefined)
    throw refused(`No call that was asked about is kept under execution ${executionId}.`);
  if (wait.end?.how !== "approved")
    throw refused(
      `Execution ${executionId} ${wait.end === undefined ? "still waits for approval" : `was ${wait.end.how}`}, so it does not run.`,
    );
  const { call, options, executionId: outermost = executionId, read } = made;
  return pipeline.call(call, { ...options, ...given, executionId: outermost }, undefined, read);
}

/** Runs approved calls that no process runs, now and every so often. Calls of tools that are not at hand are left alone. Returns how to stop. */
export function keepRunningApproved(services: Services, pipeline: Pipeline, everyMs: number): () => void {
  const { clock, source } = services;
  const tried = new Set<string>();
  let running = 0;
  let stopped = false;
  let timer: unknown;
  const run = async (executionId: string) => {
    tried.add(executionId);
    running += 1;
    await runApproved(services, pipeline, executionId, { onWaiting: "continue" }).catch(() => {});
    running -= 1;
  };
  const look = async () => {
    for (const wait of await approvedNotRunning(services.waits, wallTime(clock), MOST)) {
      if (stopped || running >= AT_ONCE) return;
      const made = madeBy(wait);
      if (made === undefined || tried.has(wait.executionId)) continue;
      if (source.get(made.call.name, made.call.version) !== undefined) void run(wait.executionId);
    }
  };
  const again = () => {
    if (stopped) return;
    // A store that fails for a moment is asked again.
    void look()
      .catch(() => {})
      .then(() => {
        if (stopped) return;
        timer = clock.set(again, everyMs);
        (timer as { unref?: () => void } | undefined)?.unref?.();
      });
  };
  again();
  return () => {
    stopped = true;
    clock.clear(timer);
  };
}

function madeBy({ body }: Wait): LeftCall | undefined {
  const { made, left } = (body ?? {}) as Partial<PendingApproval>;
  return (made ?? left) as LeftCall | undefined;
}
