import type { RunState } from "./state.ts";

/** A run of a loop that is not over. */
export interface UnderWay {
  readonly state: RunState;
  readonly outcome: Promise<unknown>;
}

/** Those of this process, by id: a run that a call starts finds the one that made the call. */
const runs = new Map<string, UnderWay>();

export function runUnderWay(runId: string | undefined): UnderWay | undefined {
  return runId === undefined ? undefined : runs.get(runId);
}

export function enterRun(run: UnderWay): void {
  runs.set(run.state.runId, run);
}

export function leaveRun(state: RunState): void {
  if (runs.get(state.runId)?.state === state) runs.delete(state.runId);
}
