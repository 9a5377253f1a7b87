import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import type { Duration } from "../options/duration.ts";
import { anyText, anything, duration, listOf, object } from "../options/kinds.ts";
import type { Outcome } from "./result.ts";
import type { Waiting } from "./waiting.ts";

/** What a tool knows of a result that comes later. */
export interface DeferredSpec extends Pick<Outcome, "details" | "effects" | "labels"> {
  /** What `check` and `cancel` are given: the number of the job, say. Plain data. */
  ref?: unknown;
  /** How long it may take. Default: the tool's `wait.expires`. */
  expires?: Duration;
  /** What people are told of it. */
  note?: string;
}

const deferredOptions = declareOptions("deferred", {
  ref: anything("plain data"),
  expires: duration(),
  note: anyText(),
  details: anything("plain data"),
  effects: listOf("a list of effects", object("an effect")),
  labels: object("labels of data"),
} satisfies OptionTable<DeferredSpec>);
const DEFERRED_MARK = Symbol.for("toolrig.deferred");

export interface Deferred extends DeferredSpec {
  readonly [DEFERRED_MARK]: "deferred" | "external" | "within";
  /** What a call that this one has made waits for. */
  readonly waiting?: Waiting;
}

/**
 * The answer of a tool whose result comes later, from elsewhere: the call is parked and costs nothing until somebody completes
 * it, `check` finds the result, it expires or is cancelled. It ends exactly once, whichever process sees it.
 *
 * @example
 * ```ts
 * import { deferred, Executor, tool } from "@toolrig/core";
 *
 * const handed: { executionId: string; token: string }[] = []; // to whom it may concern
 * const deploy = tool({
 *   name: "deploy",
 *   description: "Deploy the site",
 *   input: { type: "object" },
 *   execute(_, { executionId, token }) {
 *     handed.push({ executionId, token });
 *     return deferred({ ref: "job 7", expires: "1h", note: "the pipeline runs" });
 *   },
 * });
 * const executor = new Executor({ tools: [deploy] });
 * const { waiting } = await executor.call({ id: "call_1", name: "deploy" }, { onWaiting: "return" });
 * const [{ executionId, token }] = handed as [(typeof handed)[0]];
 * const result = await executor.waits.complete(executionId, token, "live");
 * console.log(waiting?.note, "then", result?.value); //=> the pipeline runs then live
 * ```
 */
export function deferred(spec: DeferredSpec = {}): Deferred {
  deferredOptions.check(spec);
  return { ...spec, [DEFERRED_MARK]: "deferred" };
}

/** The answer of a tool whose code is elsewhere. */
export function handedOut(): Deferred {
  return { [DEFERRED_MARK]: "external" };
}

/**
 * The answer of a tool whose own calls wait, to a caller who does not hold its call: it is started again when that has ended, and
 * goes on where it was. Only for tools that can.
 */
export function waitsWithin(waiting: Waiting): Deferred {
  return { waiting, [DEFERRED_MARK]: "within" };
}

/** Which kind of deferral it is; undefined for anything else. */
export function deferralOf(value: unknown): "deferred" | "external" | "within" | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Partial<Deferred>)[DEFERRED_MARK];
}
