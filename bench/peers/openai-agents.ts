import { Agent, type Model, type ModelResponse, Runner, type Tool, tool, Usage } from "@openai/agents";
import type { Reply, Script, Task } from "../workload.ts";
import type { Peer, Play } from "./peer.ts";

/** `Runner.run` with tracing off. Tools have zod schemas: with plain JSON Schema the SDK would not validate. */
export const openaiAgents: Peer = (tasks) => playing(tasks.map(asTool));

/** The same with tools that are the SDK's already. */
export function playing(tools: Tool[]): Play {
  const runner = new Runner({ tracingDisabled: true });
  return async (script, turns = Number.MAX_SAFE_INTEGER) => {
    const agent = new Agent({ name: "bench", instructions: "go", model: scriptedModel(script), tools });
    return runner.run(agent, "go", { maxTurns: turns });
  };
}

function asTool(task: Task) {
  return tool({
    name: task.name,
    description: task.description,
    parameters: task.zod as never,
    execute: (args: unknown) => task.run(args),
  });
}

function scriptedModel(script: Script): Model {
  return {
    getResponse: async () => answer(script()),
    getStreamedResponse() {
      throw new Error("not used");
    },
  };
}

function answer(reply: Reply): ModelResponse {
  const usage = new Usage({ requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 });
  if ("text" in reply) {
    const content = [{ type: "output_text" as const, text: reply.text }];
    return { usage, output: [{ type: "message", role: "assistant", status: "completed", content }] };
  }
  const output = reply.calls.map((call) => ({
    type: "function_call" as const,
    callId: call.id,
    name: call.name,
    status: "completed" as const,
    arguments: call.arguments,
  }));
  return { usage, output };
}
