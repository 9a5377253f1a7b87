import type { Run } from "@toolrig/agent";
import type { ApprovalQueue } from "@toolrig/core";

/** A run in which a new message from the user makes open questions moot: what was asked may no longer be wanted. */
export function supersedingApprovals(run: Run, approvals: ApprovalQueue): Run {
  return {
    runId: run.runId,
    outcome: run.outcome,
    messages: run.messages,
    steer(input, options) {
      const heard = run.steer(input, options);
      // A store that cannot be written to leaves the question open, and the call waiting: the safe side.
      if (heard && options?.untrusted === undefined) approvals.supersede(run.runId).catch(() => {});
      return heard;
    },
    followUp: (input, options) => run.followUp(input, options),
    abort: (reason) => run.abort(reason),
    [Symbol.asyncIterator]: () => run[Symbol.asyncIterator](),
  };
}
