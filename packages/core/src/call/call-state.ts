import type { Deferred } from "./deferred.ts";
import type { Waiting } from "./waiting.ts";

/**
 * The state of a call in the process that carries it out. A call has exactly one. What belongs to one state only is a field of
 * that state; states without fields are shared values, so that a call which never waits makes none.
 */
export type CallState =
  /** Name, arguments, guards, approval, ledger: its tool's code has not started in this process. */
  | { readonly at: "preparing" }
  /** The tool's code runs. */
  | { readonly at: "running" }
  /** Somebody is asked while the call is held: an approver before its code runs, or a person by its code. */
  | Asking
  /** The code stopped for good and is started again: when its question is answered, or what a call that it made waits for has ended. */
  | { readonly at: "suspended"; readonly until: "answer" | "call" }
  /** The code has ended, and its result comes from elsewhere. */
  | { readonly at: "deferred"; readonly deferral: Deferred }
  /** The code goes on without the caller. */
  | { readonly at: "background" }
  /** Only waits for an execution that is parked or in the background: its tool does not run here. */
  | { readonly at: "joined" }
  /** Another process went on with it: what this one knows of it is no outcome. */
  | { readonly at: "taken" }
  /** This process is done with it. It waits in the stores, and any process goes on with it. */
  | { readonly at: "parked" }
  /** It has its result. */
  | { readonly at: "over" }
  /** An impossible transition was tried. Its outcome is unknown, whatever anybody says of it. */
  | { readonly at: "broken"; readonly from: CallStateName; readonly to: CallStateName };

export type CallStateName = CallState["at"];

/** The open questions of a call, the first one first. */
interface Asking {
  readonly at: "asking";
  readonly open: readonly [Waiting, ...Waiting[]];
  /** The ledger says that the call waits: its code can be left where it is, and started again with the answer. */
  readonly restarts: boolean;
}

export const PREPARING: CallState = { at: "preparing" };
export const RUNNING: CallState = { at: "running" };
export const BACKGROUND: CallState = { at: "background" };
export const JOINED: CallState = { at: "joined" };
export const TAKEN: CallState = { at: "taken" };
export const PARKED: CallState = { at: "parked" };
export const OVER: CallState = { at: "over" };

/** The states that may follow each state. docs/architecture.md draws this table. */
export const TRANSITIONS: Readonly<Record<CallStateName, readonly CallStateName[]>> = {
  preparing: ["running", "asking", "joined", "parked", "over"],
  asking: ["asking", "preparing", "running", "suspended", "taken", "background", "parked", "over"],
  running: ["running", "asking", "suspended", "deferred", "background", "taken", "over"],
  background: ["running", "asking", "suspended", "deferred", "taken", "parked", "over"],
  suspended: ["parked", "over"],
  deferred: ["parked", "over"],
  joined: ["parked", "over"],
  taken: ["over"],
  parked: [],
  over: [],
  broken: [],
};

/** Whether the process that carries the call out has nothing more to say of it. */
export function isDone({ at }: CallState): boolean {
  return at === "over" || at === "parked";
}

/** Whether the code of the call stopped for good, although it may still be in memory: it must do nothing more. */
export function isStopped({ at }: CallState): boolean {
  return at === "suspended" || at === "taken" || at === "parked";
}

/**
 * The state that follows. An impossible transition is a defect: it throws where tests run. Elsewhere the call is broken from then
 * on: its outcome is unknown, and never a success or a cancellation that did not happen.
 */
export function nextState(from: CallState, to: CallState, throws = IN_TESTS): CallState {
  // The way of nearly every call, without a look at the table.
  if ((from === PREPARING && to === RUNNING) || (from === RUNNING && to === OVER)) return to;
  if (TRANSITIONS[from.at].includes(to.at)) return to;
  if (from.at === "broken") return from;
  if (throws) throw new Error(`A call cannot go from "${from.at}" to "${to.at}".`);
  return { at: "broken", from: from.at, to: to.at };
}

const { process } = globalThis as { process?: { env?: { VITEST?: string } } };
const IN_TESTS = process?.env?.VITEST !== undefined;

/** For the end of a `switch` over states: a state that was forgotten does not compile. */
export function unreachable(state: never): never {
  throw new Error(`Unknown state ${JSON.stringify(state)}.`);
}
