import { copy, freeze } from "../../copy.ts";
import { ToolrigError } from "../../failure/failure.ts";
import { check } from "../../options/check.ts";
import { declareOptions, type OptionTable } from "../../options/declare-options.ts";
import { callback } from "../../options/kinds.ts";
import { messageOf } from "../../plain.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { validatorFor } from "../../schema/validate.ts";
import { hasSideEffects, type SideEffects } from "../../tool/safety.ts";
import type { Guard, GuardInput, Verdict } from "../guard.ts";
import { matchesAnyName } from "../match/glob.ts";
import { mayConcern, permits } from "./bound.ts";
import { checkCondition } from "./condition-schema.ts";
import { POLICY_SCHEMA } from "./policy-schema.ts";
import { writtenOut } from "./written-out.ts";

/** How careful a rig is where no rule says otherwise. */
export const PROFILES = ["open", "standard", "strict"] as const;
export type Profile = (typeof PROFILES)[number];

/** Plain data: what may run, what may not and what needs approval. The first rule that matches decides. */
export interface Policy {
  /** Default "standard". */
  profile?: Profile;
  rules?: readonly PolicyRule[];
}

export interface PolicyRule {
  /** Shown where the rule decided. Default: its place in the list. */
  name?: string;
  /** All parts that are given must match. Absent or empty: every call. */
  when?: PolicyCondition;
  verdict: "allow" | "deny" | "ask";
  reason?: string;
}

export interface PolicyCondition {
  /** Names, or patterns with `*`. */
  tool?: string | readonly string[];
  provider?: string | readonly string[];
  sideEffects?: SideEffects | readonly SideEffects[];
  /** The tool requires at least one of these capabilities. */
  requires?: string | readonly string[];
  /**
   * JSON Schema that the arguments match. Where the rule allows, what it speaks of must be there and of a type that it
   * speaks of; otherwise what cannot be said of the arguments counts as a match.
   */
  args?: JsonSchema;
  /** Ids of principals, or patterns. */
  principal?: string | readonly string[];
  /** Where the call came from. */
  source?: string | readonly string[];
  /** Labels of the run, as the `runLabels` option tells them. */
  runLabels?: string | readonly string[];
  time?: TimeWindow;
}

/** A window of the week, in UTC. `from` after `to` spans midnight, and belongs to the day it starts on. */
export interface TimeWindow {
  /** "HH:MM". */
  from?: string;
  to?: string;
  /** 0 is Sunday. */
  days?: readonly number[];
}

export interface PolicyOptions {
  /** Labels of a run, matched by `runLabels`. */
  runLabels?: (runId: string | undefined) => readonly string[];
  now?: () => number;
}

const policyOptions = declareOptions("policyGuard", {
  runLabels: callback(),
  now: callback(),
} satisfies OptionTable<PolicyOptions>);

/** Why a call is allowed, denied or asked about. */
export interface PolicyExplanation {
  verdict: "allow" | "deny" | "ask";
  /** The rule that decided, or the profile. */
  by: string;
  reason: string;
}

/** A frozen copy of a policy. Throws `CONFIG_INVALID`, naming what is wrong, for one that is none. */
export function checkPolicy(given: unknown): Policy {
  const policy = freeze(copy(given));
  const issues = validatorFor(POLICY_SCHEMA).issues(policy);
  if (issues.length === 0) {
    for (const [index, rule] of ((policy as Policy).rules ?? []).entries()) checkRule(rule, index);
    return policy as Policy;
  }
  const problems = issues.slice(0, 5).map((issue) => issue.message);
  throw new ToolrigError("CONFIG_INVALID", `The policy is not valid: ${problems.join("; ")}`, {
    details: { issues },
  });
}

/** What the schema cannot say: a condition that cannot be evaluated, or never holds, is a mistake. */
function checkRule({ name, when, verdict }: PolicyRule, index: number): void {
  const where = `The policy is not valid: ${name ?? `rule ${index + 1}`}`;
  if (when?.time?.from !== undefined && when.time.from === when.time.to)
    throw new ToolrigError(
      "CONFIG_INVALID",
      `${where}: time.from and time.to are the same, so it never holds.`,
    );
  try {
    if (when?.args !== undefined)
      checkCondition(when.args, verdict === "allow" ? "permission" : "prohibition");
  } catch (error) {
    throw new ToolrigError("CONFIG_INVALID", `${where}: args is no usable schema. ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The verdict of a policy on a call, without running it. */
export function explainPolicy(
  policy: Policy,
  input: GuardInput,
  options: PolicyOptions = {},
): PolicyExplanation {
  check.object("policy", policy, "a policy, such as { profile, rules }");
  check.object("input", input, "what a guard is told of a call");
  for (const [index, rule] of (policy.rules ?? []).entries()) {
    if (!matches(rule, input, options)) continue;
    const by = rule.name ?? `rule ${index + 1}`;
    return { verdict: rule.verdict, by, reason: rule.reason ?? `policy: ${by}` };
  }
  return byProfile(policy.profile ?? "standard", input);
}

/**
 * The policy as a guard. Throws `CONFIG_INVALID`, naming what is wrong, for a policy that is not one.
 *
 * @example
 * ```ts
 * import { Executor, policyGuard, tool } from "@toolrig/core";
 *
 * const input = { type: "object", properties: { euros: { type: "number" } } } as const;
 * const pay = tool({ name: "pay", description: "Pay", input, execute: () => "paid" });
 * const small = { properties: { euros: { maximum: 50 } } };
 * const policy = policyGuard({
 *   profile: "strict", // what has side effects and is not allowed by a rule needs approval
 *   rules: [{ when: { tool: "pay", args: small }, verdict: "allow" }],
 * });
 * const executor = new Executor({ tools: [pay], guards: [policy] });
 * const { failure } = await executor.call({ id: "1", name: "pay", arguments: { euros: 80 } });
 * console.log(failure?.code); //=> TOOL_APPROVAL_REJECTED
 * ```
 */
export function policyGuard(policy: Policy, options: PolicyOptions = {}): Guard {
  const checked = checkPolicy(policy);
  policyOptions.check(options);
  const own = { ...options };
  return {
    name: "policy",
    before(input): Verdict {
      const { verdict, by, reason } = explainPolicy(checked, input, own);
      return { verdict, reason: verdict === "allow" ? by : reason };
    },
  };
}

/** `standard` leaves side effects to the information-flow guard; `strict` asks for each of them. */
function byProfile(profile: Profile, { tool }: GuardInput): PolicyExplanation {
  const by = `profile ${profile}`;
  if (profile === "strict" && hasSideEffects(tool.safety)) {
    return { verdict: "ask", by, reason: `${tool.name} has side effects (${tool.safety.sideEffects})` };
  }
  return { verdict: "allow", by, reason: by };
}

function matches(
  { when = {}, verdict }: PolicyRule,
  input: GuardInput,
  { runLabels, now = Date.now }: PolicyOptions,
): boolean {
  const { tool, provider, principal, runId, source } = input;
  return (
    (when.tool === undefined || matchesAnyName(tool.name, list(when.tool))) &&
    (when.provider === undefined || matchesName(provider, when.provider)) &&
    (when.sideEffects === undefined || list(when.sideEffects).includes(tool.safety.sideEffects)) &&
    (when.requires === undefined ||
      list(when.requires).some((each) => tool.safety.requires.includes(each))) &&
    (when.principal === undefined || matchesName(principal?.id, when.principal)) &&
    (when.source === undefined || list(when.source).includes(source)) &&
    (when.runLabels === undefined ||
      list(when.runLabels).some((each) => (runLabels?.(runId) ?? []).includes(each))) &&
    (when.time === undefined || isWithin(when.time, new Date(now()))) &&
    (when.args === undefined || matchesArguments(when.args, verdict, input))
  );
}

/** A rule that allows holds for what is known to match, one that forbids or asks for all that is not known not to. */
function matchesArguments(
  condition: JsonSchema,
  verdict: PolicyRule["verdict"],
  { args, tool }: GuardInput,
): boolean {
  const written = tool.input.parse === undefined ? args : writtenOut(args);
  return verdict === "allow" ? permits(condition, written) : mayConcern(condition, written);
}

/** Whoever has no name is not "*". */
function matchesName(name: string | undefined, patterns: string | readonly string[]): boolean {
  return name !== undefined && matchesAnyName(name, list(patterns));
}

function list<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}

function isWithin({ from = "00:00", to = "24:00", days }: TimeWindow, date: Date): boolean {
  const minute = date.getUTCHours() * 60 + date.getUTCMinutes();
  const [start, end] = [minutes(from), minutes(to)];
  const startedYesterday = start > end && minute < end;
  const day = (date.getUTCDay() + (startedYesterday ? 6 : 0)) % 7;
  if (days !== undefined && !days.includes(day)) return false;
  return start <= end ? minute >= start && minute < end : minute >= start || minute < end;
}

function minutes(text: string): number {
  const [hours, rest] = text.split(":").map(Number);
  return hours! * 60 + rest!;
}
