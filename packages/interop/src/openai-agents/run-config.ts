import { textOf } from "@toolrig/core";
import type { AgentsTool } from "./shape.ts";
import { seatsOf } from "./to-openai-agents.ts";

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
 * is recorded and answered with the names that are near, where the SDK by itself would end the run.
 */
export function runConfigFor(tools: readonly AgentsTool[]) {
  const seats = seatsOf(tools);
  return {
    toolNotFoundBehavior: "return_error_to_model" as const,
    async toolErrorFormatter({ kind, toolName, callId, runContext }: AgentsToolError) {
      if (kind !== "tool_not_found") return undefined;
      const seat = seats.of(runContext, runContext);
      // The rig may have the tool, and this agent not: it is not run.
      const result = await seat.refuse({ id: callId, name: toolName, arguments: {} });
      return result && textOf(result.content);
    },
  };
}
