import type { Outcome } from "../call/result.ts";
import { failureOf } from "../failure/classify.ts";
import { ToolFailure } from "../failure/failure.ts";
import { isObject } from "../is-record.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { callback, flag } from "../options/kinds.ts";
import type { AfterInput, AfterVerdict, Guard, GuardInput, Verdict } from "./guard.ts";

/** What a before-hook may answer; nothing (undefined) lets the call pass, anything else blocks it. */
export type BeforeAnswer =
  | Verdict
  | ToolFailure
  /** The call does not run. */
  | { block: true | string; reason?: string }
  /** The call runs with these arguments. */
  | { args: unknown }
  /** The call does not run and the run ends. */
  | { stop: true | string; reason?: string };

/** What an after-hook may answer; nothing (undefined) keeps the result, anything else withholds it. */
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

export const hooksOptions = declareOptions("hooks", {
  judgesEdits: flag({ default: true }),
  beforeCall: callback(),
  afterCall: callback(),
} satisfies OptionTable<Hooks>);

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

/** What is neither nothing nor an answer is meant to be one: it denies, as a guard's does. */
function beforeVerdict(answer: unknown): Verdict | undefined {
  if (answer === undefined) return undefined;
  const decided = denialOrStop(answer);
  if (decided !== undefined) return decided;
  if (has(answer, "verdict")) return answer as unknown as Verdict;
  if (has(answer, "block") && isFlag(answer.block))
    return { verdict: "deny", reason: reasonOf(answer, answer.block, "blocked by a hook") };
  if (has(answer, "args") && !has(answer, "block") && !has(answer, "stop"))
    return { verdict: "rewrite", args: answer.args };
  return noAnswer("beforeCall", "{ block }, { args }, { stop } or a verdict", "let the call pass", answer);
}

/** The same for a result, which is withheld. */
function afterVerdict(answer: unknown): AfterVerdict | undefined {
  if (answer === undefined) return undefined;
  const decided = denialOrStop(answer);
  if (decided !== undefined) return decided;
  if (has(answer, "verdict")) return answer as unknown as AfterVerdict;
  const result = has(answer, "result") ? answer.result : answer;
  if (!has(answer, "stop") && PARTS.some((part) => isObject(result) && part in result))
    return { verdict: "rewrite", result: result as Outcome };
  return noAnswer("afterCall", "parts of a result, { stop } or a verdict", "keep the result", answer);
}

const PARTS = Object.keys({
  content: true,
  value: true,
  details: true,
  effects: true,
  terminate: true,
  isError: true,
  labels: true,
} satisfies { readonly [Part in keyof Required<Outcome>]: true });

function denialOrStop(answer: unknown): Extract<Verdict, { verdict: "deny" | "stop" }> | undefined {
  if (ToolFailure.isInstance(answer))
    return { verdict: "deny", reason: answer.message, code: failureOf(answer).code };
  if (has(answer, "stop") && isFlag(answer.stop))
    return { verdict: "stop", reason: reasonOf(answer, answer.stop, "stopped by a hook") };
  return undefined;
}

/** The reason is for the model, too, so it does not say what the hook answered. */
function noAnswer(hook: string, answers: string, otherwise: string, answer: unknown): Verdict & AfterVerdict {
  const kind = answer === null ? "null" : Array.isArray(answer) ? "a list" : typeof answer;
  const given = isObject(answer) && !Array.isArray(answer) ? "an object that is none of them" : kind;
  return {
    verdict: "deny",
    reason: `${hook} must answer with ${answers}, or with nothing to ${otherwise}; it answered with ${given}`,
  };
}

function has<Key extends string>(answer: unknown, key: Key): answer is { readonly [Each in Key]: unknown } {
  return isObject(answer) && answer[key] !== undefined;
}

/** True or a reason, be it an empty one. */
function isFlag(flag: unknown): boolean {
  return flag === true || typeof flag === "string";
}

function reasonOf(answer: object, flag: unknown, otherwise: string): string {
  const reasons = ["reason" in answer ? answer.reason : undefined, flag];
  return reasons.find((each): each is string => typeof each === "string" && each.trim() !== "") ?? otherwise;
}
