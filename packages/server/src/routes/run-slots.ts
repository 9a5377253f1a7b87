import { RequestProblem } from "../http/problem.ts";
import type { Context } from "./context.ts";

/** Throws a problem while as many runs are under way as may be. */
export function checkRunSlots({ rig: { runs }, mostRuns }: Context): void {
  if ((runs?.size ?? 0) < mostRuns) return;
  throw new RequestProblem(
    "OVERLOADED",
    `${mostRuns} runs are under way. Nothing of this one was begun; send it again later.`,
    { retryAfterMs: 5_000 },
  );
}
