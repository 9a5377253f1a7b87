import { explainPolicy, type Policy, type ToolContext, type ToolSource } from "@toolrig/core";
import { exceeds } from "@toolrig/core/kit";
import type { SandboxCall } from "../engine/run.ts";
import type { MadeTool } from "./recipe.ts";
import { whyNever } from "./uses.ts";

/** What decides on the calls of a made tool. */
export interface Surroundings {
  tools: ToolSource;
  policy?: Policy | undefined;
}

/**
 * Why a call that a handler makes is not made, besides what the pipeline says to it on behalf of whoever called the tool: its
 * maker could not make it, it was not made with it, or what it calls has become more than it was made with.
 */
export function refusalOf(
  { name, uses, safety, by }: Pick<MadeTool, "name" | "uses" | "safety" | "by">,
  call: SandboxCall,
  context: ToolContext,
  { tools, policy }: Surroundings,
): string | undefined {
  const use = uses.find((each) => each.name === call.name);
  if (use === undefined) return `${name} was not made to call ${call.name}.`;
  const tool = tools.get(call.name);
  // The pipeline says that there is none, and what there is.
  if (tool === undefined) return undefined;
  const never = whyNever(tool);
  if (never !== undefined) return never;
  const provider = tools.providerOf?.(tool);
  if (provider !== use.provider)
    return `${name} was made to call ${call.name} of provider "${use.provider}"; this one is of "${provider}".`;
  if (exceeds(tool.safety, safety))
    return `${call.name} does more now (${tool.safety.sideEffects}) than when ${name} was made. Make ${name} anew.`;
  if (policy === undefined || context.principal?.id === by) return undefined;
  const verdict = (principal: { id: string } | undefined) =>
    explainPolicy(policy, {
      call: { id: context.callId, name: call.name, arguments: call.args },
      ...{ tool, provider, principal, args: call.args, source: "tool" },
      ...{ executionId: context.executionId, decoded: { mode: "strict", degree: "exact", repairs: [] } },
      ...{ runId: context.runId, requestId: context.requestId, stepName: context.stepName },
      batch: { id: context.executionId, size: 1, index: 0 },
    });
  const maker = verdict(by === undefined ? undefined : { id: by });
  if (CARE[maker.verdict] <= CARE[verdict(context.principal).verdict]) return undefined;
  return `${name} was made by somebody who may not call ${call.name} like that: ${maker.reason}.`;
}

const CARE = { allow: 0, ask: 1, deny: 2 } as const;
