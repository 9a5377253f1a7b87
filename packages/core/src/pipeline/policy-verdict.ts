import type { CallSource } from "../call/call.ts";
import { defined } from "../defined.ts";
import type { Failure } from "../failure/failure.ts";
import type { Guard } from "../guards/guard.ts";
import { explainPolicy, type Policy, type PolicyExplanation } from "../guards/policy/policy.ts";
import { newId } from "../ids.ts";
import type { ToolSource } from "../source/source.ts";
import { Executor } from "./executor.ts";

/** A call as a policy may look at it. */
export interface PolicyCase {
  readonly tool: string;
  /** The arguments, or their text. Default {}. */
  readonly args?: unknown;
  readonly principal?: string;
  /** Default "model". */
  readonly source?: CallSource;
  readonly runLabels?: readonly string[];
  /** When the call is made, in epoch milliseconds. Default: now. */
  readonly at?: number;
}

/** The verdict, or why the call does not get as far as the policy: no such tool, wrong arguments, not allowed. */
export type PolicyVerdict = PolicyExplanation | { verdict: "refused"; failure: Failure };

/**
 * What the policy says to a call, without running it. The call takes the real path, so that arguments are repaired,
 * converted and validated as always, up to a guard that asks the policy and lets nothing through.
 */
export async function policyVerdict(
  { tools, policy, allow }: { tools: ToolSource; policy: Policy; allow: readonly string[] | undefined },
  { tool, args, principal, source = "model", runLabels = [], at }: PolicyCase,
): Promise<PolicyVerdict> {
  let explained: PolicyExplanation | undefined;
  const asked: Guard = {
    name: "policy",
    before(input) {
      const now = at === undefined ? {} : { now: () => at };
      explained = explainPolicy(policy, input, { runLabels: () => runLabels, ...now });
      return { verdict: "deny", reason: "explained, not run" };
    },
  };
  const executor = new Executor({
    tools,
    guards: [asked],
    onUnavailable: "try",
    ...defined({ allow }),
  });
  const { failure } = await executor.call(
    { id: newId("call"), name: tool, ...defined({ arguments: args }) },
    { source, ...(principal !== undefined && { principal: { id: principal } }) },
  );
  return explained ?? { verdict: "refused", failure: failure! };
}
