import type { Principal } from "@toolrig/core";
import { canonicalJson, check, isJsonValue, settingsOf } from "@toolrig/core/kit";

/** Which run calls are part of, and for whom they are made. */
export interface RunIdentity {
  /**
   * The same for all calls of one task. A loop that crashed and is started again under the same id gets the results of what has
   * happened; without one, every call is the first. Default: a new one.
   */
  runId?: string;
  requestId?: string;
  stepName?: string;
  /** The run or execution that this run is part of. */
  parentId?: string;
  principal?: Principal;
  /** Names of tools and providers that the run may use. Empty or absent: whatever the executor allows. */
  allow?: readonly string[];
}

/** A run as it is given: its id, or more of it. */
export type GivenRun = string | RunIdentity;

const SETTINGS = settingsOf<RunIdentity>({
  runId: true,
  requestId: true,
  stepName: true,
  parentId: true,
  principal: true,
  allow: true,
});

/** Throws `OPTION_INVALID`. */
export function runIdentity(given: GivenRun | undefined): RunIdentity {
  if (given === undefined) return {};
  if (typeof given === "string") {
    check.string("run", given);
    return { runId: given };
  }
  check.object("run", given, "the id of a run, or { runId, principal, … }");
  check.known("run", given, SETTINGS);
  for (const field of ["runId", "requestId", "stepName", "parentId"] as const)
    if (given[field] !== undefined) check.string(`run.${field}`, given[field]);
  if (given.principal !== undefined && typeof given.principal?.id !== "string")
    throw check.invalid("run.principal", 'somebody with an id, such as { id: "ada" }', given.principal);
  if (given.allow !== undefined)
    check.strings("run.allow", given.allow, "a list of names of tools and providers");
  return { ...given };
}

/** Whether calls of one run are made for the same one, and with the same rights. What cannot be compared is not the same. */
export function isSameIdentity(one: RunIdentity, other: RunIdentity): boolean {
  const [a, b] = [one, other].map(({ runId: _, ...rest }) => rest);
  const isPlain = (rest: object | undefined) => rest === undefined || Object.keys(rest).length === 0;
  if (isPlain(a) || isPlain(b)) return isPlain(a) && isPlain(b);
  return isJsonValue(a) && isJsonValue(b) && canonicalJson(a) === canonicalJson(b);
}
