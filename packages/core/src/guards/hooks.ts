import type { Outcome } from "../call/result.ts";
import { failureOf } from "../failure/classify.ts";
import { ToolFailure } from "../failure/failure.ts";
import type { AfterInput, AfterVerdict, Guard, GuardInput, Verdict } from "./guard.ts";

/** What a before-hook may answer; nothing lets the call pass. */
export type BeforeAnswer =
  | Verdict
  | ToolFailure
  /** The call does not run. */
  | { block: true | string; reason?: string }
  /** The call runs with these arguments. */
  | { args: unknown }
  /** The call does not run and the run ends. */
  | { stop: true | string; reason?: string };

/** What an after-hook may answer; nothing keeps the result. */
export type AfterAnswer =
  | AfterVerdict
  | ToolFailure
  /** Replaces the parts that are given. */
  | Outcome
  | { result: Outcome }
  | { stop: true | string; reason?: string };

/**
 * Two functions around every call. Never called concurrently within a batch: before-hooks run in source order before
 * anything executes, after-hooks in source order when the whole batch has.
 */
export interface Hooks {
  /** Whether `beforeCall` is asked again about arguments that an approver or a guard has changed. Default true. */
  judgesEdits?: boolean;
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is the usual one
  beforeCall?(input: GuardInput): BeforeAnswer | undefined | void | Promise<BeforeAnswer | undefined | void>;
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is the usual one
  afterCall?(input: AfterInput): AfterAnswer | undefined | void | Promise<AfterAnswer | undefined | void>;
}

/** Hooks are one guard in the chain, so that whatever they decide is reported like every other verdict. */
export function hooksGuard(hooks: Hooks): Guard {
  const { judgesEdits = true } = hooks;
  const guard: Guard = { name: "hooks", judgesEdits };
  if (hooks.beforeCall !== undefined)
    guard.before = async (input) => beforeVerdict(await hooks.beforeCall?.(input));
  if (hooks.afterCall !== undefined)
    guard.after = async (input) => afterVerdict(await hooks.afterCall?.(input));
  return guard;
}

// biome-ignore lint/suspicious/noConfusingVoidType: see above
function beforeVerdict(answer: BeforeAnswer | undefined | void): Verdict | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  if (ToolFailure.isInstance(answer))
    return { verdict: "deny", reason: answer.message, code: failureOf(answer).code };
  if ("verdict" in answer) return answer;
  if ("stop" in answer && answer.stop)
    return { verdict: "stop", reason: reasonOf(answer.stop, answer.reason, "stopped by a hook") };
  if ("block" in answer && answer.block)
    return { verdict: "deny", reason: reasonOf(answer.block, answer.reason, "blocked by a hook") };
  if ("args" in answer) return { verdict: "rewrite", args: answer.args };
  return undefined;
}

// biome-ignore lint/suspicious/noConfusingVoidType: see above
function afterVerdict(answer: AfterAnswer | undefined | void): AfterVerdict | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  if (ToolFailure.isInstance(answer))
    return { verdict: "deny", reason: answer.message, code: failureOf(answer).code };
  if ("verdict" in answer) return answer;
  if ("stop" in answer && answer.stop)
    return { verdict: "stop", reason: reasonOf(answer.stop, answer.reason, "stopped by a hook") };
  if ("result" in answer) return { verdict: "rewrite", result: answer.result };
  return { verdict: "rewrite", result: answer as Outcome };
}

function reasonOf(flag: unknown, reason: string | undefined, otherwise: string): string {
  return reason ?? (typeof flag === "string" ? flag : otherwise);
}
