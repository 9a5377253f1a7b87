import type { Principal } from "@toolrig/core";
import {
  canonicalJson,
  check,
  declareOptions,
  isJsonValue,
  type Option,
  type OptionTable,
  option,
  principalOption,
} from "@toolrig/core/kit";

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

const runOptions = declareOptions("run", {
  runId: option.id(),
  requestId: option.id(),
  stepName: option.text(),
  parentId: option.id(),
  principal: principalOption(),
  allow: option.strings("a list of names of tools and providers"),
} satisfies OptionTable<RunIdentity>);

/** An option that says which run calls are part of. */
export function givenRunOption(): Option<GivenRun> {
  return option.checked("the id of a run, or { runId, principal, … }", (_field, value) => {
    runIdentity(value as GivenRun);
  });
}

/** An option that says which run calls are part of, or a function that tells it for each call. */
export function runOption<Value>(): Option<Value> {
  return option.checked("the id of a run, { runId, principal, … } or a function", (_field, value) => {
    if (typeof value !== "function") runIdentity(value as GivenRun);
  });
}

/** Options of a peer that has an approval flow of its own. */
export const peerApproval = {
  approval: option.oneOf(["peer", "inbox"]),
  approver: principalOption(),
};

/** Throws `OPTION_INVALID`. */
export function runIdentity(given: GivenRun | undefined): RunIdentity {
  if (given === undefined) return {};
  if (typeof given === "string") {
    check.string("run", given);
    return { runId: given };
  }
  check.object("run", given, "the id of a run, or { runId, principal, … }");
  runOptions.check(given, "run");
  return { ...given };
}

/** Whether calls of one run are made for the same one, and with the same rights. What cannot be compared is not the same. */
export function isSameIdentity(one: RunIdentity, other: RunIdentity): boolean {
  const [a, b] = [one, other].map(({ runId: _, ...rest }) => rest);
  const isPlain = (rest: object | undefined) => rest === undefined || Object.keys(rest).length === 0;
  if (isPlain(a) || isPlain(b)) return isPlain(a) && isPlain(b);
  return isJsonValue(a) && isJsonValue(b) && canonicalJson(a) === canonicalJson(b);
}
