import { failure, type ToolResult } from "@toolrig/core";
import type {
  AgentsCallDetails,
  AgentsGuardrail,
  AgentsRunContext,
  AgentsTool,
  GuardrailBehavior,
} from "./shape.ts";

/** What guardrails of a tool are told of the agent where no agent makes the call. */
const NO_AGENT = { name: "toolrig" };

/**
 * Runs a tool with its own guardrails around it, where no runner of the SDK does that. What they reject is told in their words; a
 * tripwire, which would end a run of the SDK, blocks the call or withholds its result.
 * Resolves with what the tool answered, or with a failure.
 */
export async function guarded(
  source: AgentsTool,
  context: AgentsRunContext,
  { toolCall }: AgentsCallDetails,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const shown = { context, agent: NO_AGENT, toolCall };
  for (const guardrail of source.inputGuardrails ?? []) {
    const behavior = behaviorOf(await guardrail.run(shown));
    if (behavior.type !== "allow") return blocked(guardrail, behavior, "the call did not run");
  }
  const output = await run();
  for (const guardrail of source.outputGuardrails ?? []) {
    const behavior = behaviorOf(await guardrail.run({ ...shown, output }));
    if (behavior.type === "rejectContent") return behavior.message;
    if (behavior.type !== "allow")
      return blocked(guardrail, behavior, "its result is withheld (the tool has run)");
  }
  return output;
}

function behaviorOf({ behavior }: { behavior?: GuardrailBehavior | undefined }): GuardrailBehavior {
  return behavior ?? { type: "allow" };
}

function blocked({ name }: AgentsGuardrail, behavior: GuardrailBehavior, what: string) {
  const message = behavior.type === "rejectContent" ? behavior.message : `guardrail ${name}: ${what}.`;
  return failure({ code: "TOOL_BLOCKED", message });
}

/** Guardrails that the SDK runs: `refused` is told of a call that they keep from running, before the SDK goes on. */
export function heard<Guardrail extends AgentsGuardrail>(
  guardrails: readonly Guardrail[],
  refused: (data: GuardrailData, reason: string) => Promise<ToolResult | undefined>,
): Guardrail[] {
  return guardrails.map((guardrail) => ({
    ...guardrail,
    async run(data: GuardrailData) {
      const output = await guardrail.run(data);
      const behavior = behaviorOf(output);
      if (behavior.type !== "allow") await refused(data, reasonOf(guardrail, behavior));
      return output;
    },
  }));
}

/** What a guardrail of the SDK is shown, as far as it is read. */
export interface GuardrailData {
  context: AgentsRunContext;
  toolCall: { callId: string; name: string; arguments: string };
}

function reasonOf({ name }: AgentsGuardrail, behavior: GuardrailBehavior): string {
  return behavior.type === "rejectContent" ? behavior.message : `guardrail ${name} ended the run.`;
}
