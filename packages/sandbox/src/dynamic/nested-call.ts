import {
  explainPolicy,
  type Policy,
  type ToolContext,
  type ToolResult,
  type ToolSource,
  textOf,
} from "@toolrig/core";
import { exceeds } from "@toolrig/core/kit";
import type { CallAnswer, SandboxCall } from "../engine/run.ts";
import type { MadeTool } from "./recipe.ts";

/** What decides on the calls of a made tool. */
export interface Surroundings {
  tools: ToolSource;
  policy?: Policy | undefined;
}

/**
 * Answers a call that a handler makes: through the whole pipeline, on behalf of whoever called the tool. What its maker could
 * not do, what it was not made with, and what has become more than it was made with is refused here.
 */
export async function answerNested(
  made: Pick<MadeTool, "name" | "uses" | "safety" | "by">,
  call: SandboxCall,
  context: ToolContext,
  around: Surroundings,
): Promise<CallAnswer> {
  const refusal = refusalOf(made, call, context, around);
  if (refusal !== undefined)
    return {
      status: "failed",
      error: { name: "ToolError", message: refusal, code: "TOOL_NOT_ALLOWED", kind: "denied" },
    };
  return answerOf(await context.call(call.name, call.args ?? {}));
}

function answerOf({ failure, value, content, isError }: ToolResult): CallAnswer {
  if (!isError) return { status: "done", value: value === undefined ? textOf(content) : value };
  const {
    message = textOf(content),
    code = "TOOL_EXECUTION_FAILED",
    kind = "fatal",
    details,
  } = failure ?? {};
  return {
    status: "failed",
    error: { name: "ToolError", message, code, kind, ...(details !== undefined && { details }) },
  };
}

function refusalOf(
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
