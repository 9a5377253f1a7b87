import { argumentsText } from "../call/fingerprint.ts";
import type { ToolResult } from "../call/result.ts";
import type { Guard, Verdict } from "../guards/guard.ts";
import { UNREADABLE, writtenOut } from "../guards/policy/written-out.ts";
import type { Resolved } from "./execution.ts";
import { applyVerdict, guardInput, isVerdict, judge } from "./verdicts.ts";

/** Who may answer about arguments that were changed, and how far they have been asked. */
export interface Judging {
  readonly guards: readonly Guard[];
  /** How many of them, from the end, have judged the arguments as they are. */
  readonly judged: number;
  /** Whether a question counts. An approver has answered those there are. */
  readonly mayAsk: boolean;
}

/** Guards that keep changing what another has changed would go on for ever. */
const MAX_ROUNDS = 4;

/**
 * Asks guards about arguments that were changed after they had judged them: by an approver, or by a guard further down.
 * Goes on until all of them leave the arguments as they are: a rewrite that is a rule, such as a limit, holds for what
 * others changed, and one that is another each time is not made twice. A result when the call does not run.
 */
export async function judgeAgain(execution: Resolved, judging: Judging): Promise<ToolResult | undefined> {
  const { guards, mayAsk } = judging;
  let agreed = judging.judged;
  for (let turn = 0; agreed < guards.length; turn++) {
    const guard = guards[turn % guards.length];
    agreed += 1;
    if (guard === undefined || guard.judgesEdits === false) continue;
    if (turn >= MAX_ROUNDS * guards.length) return atOdds(execution, guard);
    const before = comparableText(execution.args);
    const verdict = await judge(guard, guardInput(execution));
    if (execution.ended) return undefined;
    if (verdict === undefined || !counts(verdict, execution, guard, mayAsk, before)) continue;
    const settled = await applyVerdict(execution, guard, verdict);
    if (settled !== undefined) return settled;
    if (verdict.verdict === "rewrite") agreed = 0;
  }
  return undefined;
}

/** Whether a verdict says something that has not been said of the call before. */
function counts(
  verdict: Verdict,
  { asks = [] }: Resolved,
  { name }: Guard,
  mayAsk: boolean,
  before: string | undefined,
): boolean {
  if (!isVerdict(verdict)) return true;
  switch (verdict.verdict) {
    case "allow":
    case "advise":
      return false;
    case "ask":
      return mayAsk && !asks.some((ask) => ask.guard === name && ask.reason === verdict.reason);
    case "rewrite":
      return before === undefined || comparableText(verdict.args) !== before;
    default:
      return true;
  }
}

/** Whether a guard that was shown arguments gave others in their place. */
export function isChange(given: unknown, shown: unknown): boolean {
  if (given === shown) return true;
  const text = comparableText(given);
  return text === undefined || text !== comparableText(shown);
}

/** Undefined for what cannot be compared. */
function comparableText(args: unknown): string | undefined {
  const written = writtenOut(args);
  return written === UNREADABLE ? undefined : argumentsText(written);
}

function atOdds(execution: Resolved, { name }: Guard): ToolResult {
  const { name: tool } = execution.tool;
  return execution.failed({
    code: "TOOL_BLOCKED",
    message:
      `${tool} did not run: its arguments were changed and guard ${name} keeps changing them again. A guard or hook whose ` +
      "change cannot be made twice says so with judgesEdits: false.",
    details: { guard: name },
  });
}
