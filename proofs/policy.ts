/** Every verdict of a policy and of the information-flow guard, on the real executor, with its reason. */
import {
  type CallEvent,
  Executor,
  type Guard,
  InformationFlow,
  policyGuard,
  protectedPaths,
  ToolrigError,
} from "@toolrig/core";
import { type Case, type Outcome, registry, type Step } from "./policy/case.ts";
import { conditionCases } from "./policy/condition-cases.ts";
import { evasionCases } from "./policy/evasion-cases.ts";
import { flowCases } from "./policy/flow-cases.ts";
import { policyCases } from "./policy/policy-cases.ts";
import type { Proof } from "./proof.ts";

/** A Wednesday at noon, UTC. */
const NOON = Date.UTC(2026, 0, 7, 12);

async function verdictOf(each: Case): Promise<{ got: Outcome; why: string }> {
  const guards: Guard[] = [];
  const flow = new InformationFlow({ profile: each.flow ?? "open" });
  if (each.policy !== undefined)
    guards.push(policyGuard(each.policy, { now: () => NOON, runLabels: () => ["production"] }));
  if (each.protect !== undefined) guards.push(protectedPaths({ paths: each.protect }));
  if (each.rewrite !== undefined)
    guards.push({ name: "rewriter", before: () => ({ verdict: "rewrite", args: each.rewrite }) });
  if (each.flow !== undefined) guards.push(flow.guard);
  let asked: string | undefined;
  const verdicts: Extract<CallEvent, { type: "call.verdict" }>[] = [];
  const executor = new Executor({
    tools: registry(),
    guards,
    hooks: {
      beforeCall: ({ args }) =>
        each.blocks?.(args as Record<string, unknown>) ? { block: "blocked" } : undefined,
    },
    approve: ({ reasons }) => {
      if (each.edit !== undefined) return { approved: true, args: each.edit, by: { id: "ann" } };
      asked = reasons.join("; ");
      return { approved: false, reason: "the proof only looks" };
    },
  });
  executor.events.on("call.verdict", (event) => verdicts.push(event));
  const make = ({ name, args = {}, source, principal }: Step) =>
    executor.call(
      { id: "call", name, arguments: args },
      {
        runId: "run",
        ...(source !== undefined && { source }),
        ...(principal !== undefined && { principal: { id: principal } }),
      },
    );
  if (each.said !== undefined) flow.userSaid("run", each.said);
  for (const step of each.before ?? []) await make(step);
  if (each.declassify === true) flow.declassify("run", { by: { id: "ann" }, reason: "looked at it" });
  asked = undefined;
  verdicts.length = 0;
  const result = await make(each.call);
  if (asked !== undefined) return { got: "ask", why: asked };
  const last = verdicts.findLast((event) => event.phase === "before");
  return { got: result.isError ? "deny" : "allow", why: last?.reason ?? "no guard objected" };
}

function refusal(error: unknown): { got: Outcome; why: string } {
  if (ToolrigError.isInstance(error)) return { got: "refused", why: error.message };
  throw error;
}

export const proof: Proof = {
  name: "policy",
  claim: "Policy and information flow give the expected verdict on every case, with its reason",
  async run(_mode, print) {
    let failed = 0;
    const cases = [...policyCases, ...flowCases, ...evasionCases, ...conditionCases];
    for (const each of cases) {
      const { got, why } = await verdictOf(each).catch(refusal);
      const ok = got === each.want;
      if (!ok) failed += 1;
      print(
        `${ok ? "ok  " : "MISS"} ${got.padEnd(6)} ${each.title.padEnd(62)} ${why}${ok ? "" : ` (wanted ${each.want})`}`,
      );
    }
    return { passed: cases.length - failed, failed };
  },
};
