import { deferralOf } from "../../call/deferred.ts";
import { isOutcome, type Outcome, result } from "../../call/result.ts";
import { isJsonValue } from "../../canonical.ts";
import { safeCopy } from "../../copy.ts";
import { type Failure, ToolFailure } from "../../failure/failure.ts";
import { toPlain } from "../../plain.ts";

/** What came for a call that waited, as plain data. */
export type Completion = { value?: unknown } | { outcome: Outcome } | { failure: Failure };

/** What somebody gave, who may give whatever a tool may return. Undefined for a deferral: that is no result. */
export function completionOf(given: unknown): Completion | undefined {
  if (deferralOf(given) !== undefined) return undefined;
  if (ToolFailure.isInstance(given)) return { failure: safeCopy(given.failure) };
  if (isOutcome(given)) return { outcome: plain({ ...given }) };
  return given === undefined ? {} : { value: plain(given) };
}

/** As a store gives it back: what is checked is what counts. */
function plain<Value>(value: Value): Value {
  try {
    if (isJsonValue(value)) return safeCopy(value);
  } catch {
    // What cannot be read is named in its place.
  }
  return JSON.parse(JSON.stringify(toPlain(value)) ?? "null");
}

/** The same as a tool would have returned it. */
export function givenBy(completion: unknown): unknown {
  const known = (completion ?? {}) as { value?: unknown; outcome?: Outcome; failure?: Failure };
  if (known.failure !== undefined) return new ToolFailure(known.failure);
  return known.outcome === undefined ? known.value : result(known.outcome);
}
