import { textOf } from "@toolrig/core";
import type { AgentsTool } from "./shape.ts";
import { listedOf } from "./to-openai-agents.ts";

/** What the SDK asks for a message about. */
interface AgentsToolError {
  kind: string;
  toolName: string;
  callId: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own context is a class with private parts
  runContext: any;
}

/**
 * For a runner: `new Runner(runConfigFor(tools))`. A call of a tool that does not exist goes through the pipeline like any other,
 * is recorded and answered with the names that are near, where the SDK by itself would end the run. A call that was rejected with
 * all calls of its tool is recorded, too. The SDK does not say what the arguments of either were.
 */
export function runConfigFor(tools: readonly AgentsTool[]) {
  const { seats, asked } = listedOf(tools);
  return {
    toolNotFoundBehavior: "return_error_to_model" as const,
    async toolErrorFormatter({ kind, toolName, callId, runContext }: AgentsToolError) {
      const call = { id: callId, name: toolName, arguments: undefined };
      if (kind === "tool_not_found") {
        // The rig may have the tool, and this agent not: it is not run.
        const result = await seats.of(runContext, runContext).refuse(call);
        return result && textOf(result.content);
      }
      if (
        kind === "approval_rejected" &&
        tools.some(({ name }) => name === toolName) &&
        !asked.has(runContext, callId)
      )
        await seats.of(runContext, runContext).refuse(call, REJECTED);
      return undefined;
    },
  };
}

const REJECTED = {
  code: "TOOL_APPROVAL_REJECTED",
  message: "It did not run: all calls of the tool were rejected.",
} as const;
