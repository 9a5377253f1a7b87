import type { CallSource, ToolCall } from "../call/call.ts";
import type { Decoded } from "../call/decoded.ts";
import type { Effect } from "../call/effects.ts";
import type { DataLabels } from "../call/labels.ts";
import type { Principal } from "../call/principal.ts";
import type { Outcome, ToolResult } from "../call/result.ts";
import type { FailureCode } from "../failure/codes.ts";
import type { Option } from "../options/declare-options.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { callback, checked, flag, text } from "../options/kinds.ts";
import type { AnyTool } from "../tool/tool.ts";

/** What a guard sees of a call whose arguments are decoded and valid. */
export interface GuardInput {
  readonly call: ToolCall;
  readonly tool: AnyTool;
  /** Validated. Not to be changed in place: answer "rewrite". Objects and lists are frozen; dates, maps and the like are this guard's own. */
  readonly args: unknown;
  readonly executionId: string;
  readonly decoded: Decoded;
  readonly source: CallSource;
  readonly provider: string | undefined;
  readonly runId: string | undefined;
  readonly requestId: string | undefined;
  readonly stepName: string | undefined;
  readonly principal: Principal | undefined;
  /** The batch the call is part of, and its place in it: of a call that a tool or script makes, those of the call that runs it. */
  readonly batch: BatchPlace;
  /**
   * True for a call that continues an execution which guards let pass before and which was put aside since, to wait for an approval, an
   * answer or a result. A guard that counts calls has counted it. Default false.
   */
  readonly resumed?: boolean | undefined;
  /** What was read before the call by other ways than calls that guards saw: by the tool that makes it, or before it was put aside. */
  readonly read?: DataLabels | undefined;
}

export interface BatchPlace {
  readonly id: string;
  readonly size: number;
  readonly index: number;
}

export interface AfterInput extends GuardInput {
  readonly result: ToolResult;
  /** What the tool changed. */
  readonly effects: readonly Effect[] | undefined;
}

export type Verdict =
  | { verdict: "allow"; reason?: string }
  /** The call does not run. */
  | { verdict: "deny"; reason: string; code?: FailureCode }
  /** The call runs once somebody approves it; with `always`, somebody who has seen it, whatever was granted before. */
  | { verdict: "ask"; reason: string; always?: boolean }
  /** The call runs with other arguments, which are validated again. */
  | { verdict: "rewrite"; args: unknown; reason?: string }
  /** The call runs, and the model is told something with its result. */
  | { verdict: "advise"; text: string }
  /** The call does not run and the run ends. */
  | { verdict: "stop"; reason: string };

export type AfterVerdict =
  | { verdict: "allow"; reason?: string }
  /** The result is withheld from the model. What the tool did stands. */
  | { verdict: "deny"; reason: string; code?: FailureCode }
  /** Parts of the result are replaced. Effects can be added to, never removed. */
  | { verdict: "rewrite"; result: Outcome; reason?: string }
  /** Says what the data of the result is. Told by the result itself, not by an event. */
  | { verdict: "label"; labels: DataLabels }
  | { verdict: "advise"; text: string }
  | { verdict: "stop"; reason: string };

type Maybe<T> = T | undefined | Promise<T | undefined>;

/**
 * A named rule around execution. Guards run in the order in which they are given, one at a time; no answer means
 * allow. A guard that throws denies: a rule that cannot be evaluated is not a permission.
 */
export interface Guard {
  readonly name: string;
  /**
   * Whether the guard is asked again about arguments that an approver, or a guard after it, has changed: who changes a call
   * does not lift what is denied to it. Default true. Set false for a guard that counts calls or whose rewrite is not idempotent.
   */
  readonly judgesEdits?: boolean;
  /**
   * Whether `after` is called once all guards without it have spoken, wherever in the list the guard stands: for one that
   * takes note of what a result holds in the end. Default false.
   */
  readonly hearsLast?: boolean;
  /**
   * What a run has read, as far as the guard follows that. It is kept with a call that is put aside and told as `read` where that
   * goes on, which may be a process that has seen nothing of the run.
   */
  readBy?(runId: string | undefined): DataLabels | undefined;
  before?(input: GuardInput): Maybe<Verdict>;
  after?(input: AfterInput): Maybe<AfterVerdict>;
}

const guardMembers = declareOptions("a guard", {
  name: text({ required: true }),
  judgesEdits: flag({ default: true }),
  hearsLast: flag({ default: false }),
  readBy: callback(),
  before: callback(),
  after: callback(),
} satisfies OptionTable<Guard>);

/** An option that holds a guard, which may have further members of its own. */
export function guardOption(): Option<Guard> {
  return checked("a guard with a name", (field, value, checks) => {
    checks.object(field, value, "a guard with a name");
    guardMembers.checkMembers(value as Guard, field, checks);
  });
}
