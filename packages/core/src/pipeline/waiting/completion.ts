import { deferralOf } from "../../call/deferred.ts";
import { isOutcome, type Outcome, result } from "../../call/result.ts";
import { safeCopy } from "../../copy.ts";
import { type Failure, ToolFailure } from "../../failure/failure.ts";

/** What came for a call that waited, as plain data. */
export type Completion = { value?: unknown } | { outcome: Outcome } | { failure: Failure };

/** What somebody gave, who may give whatever a tool may return. Undefined for a deferral: that is no result. */
export function completionOf(given: unknown): Completion | undefined {
  if (deferralOf(given) !== undefined) return undefined;
  if (ToolFailure.isInstance(given)) return { failure: safeCopy(given.failure) };
  if (isOutcome(given)) return { outcome: safeCopy({ ...given }) };
  return given === undefined ? {} : { value: safeCopy(given) };
}

/** The same as a tool would have returned it. */
export function givenBy(completion: unknown): unknown {
  const known = (completion ?? {}) as { value?: unknown; outcome?: Outcome; failure?: Failure };
  if (known.failure !== undefined) return new ToolFailure(known.failure);
  return known.outcome === undefined ? known.value : result(known.outcome);
}
