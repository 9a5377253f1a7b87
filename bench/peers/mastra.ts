import { Agent, type ToolsInput } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import type { Task } from "../workload.ts";
import { scriptedModel } from "./ai-sdk.ts";
import type { Peer, Play } from "./peer.ts";

/** `Agent.generate` without memory and storage, and with as many calls at once as the widest turn has. */
export const mastra: Peer = (tasks) =>
  playing(Object.fromEntries(tasks.map((task) => [task.name, asTool(task)])));

function asTool(task: Task) {
  return createTool({
    id: task.name,
    description: task.description,
    inputSchema: task.zod,
    execute: (args: unknown) => task.run(args),
  });
}

/** The same with tools that are Mastra's already. */
export function playing(tools: ToolsInput): Play {
  return async (script, turns = 1_000_000_000) => {
    // The types ask for a model that Mastra has wrapped; it wraps any model of this specification itself.
    const model = scriptedModel(script) as never;
    const agent = new Agent({
      id: "bench",
      name: "bench",
      instructions: "go",
      model,
      tools,
    });
    return agent.generate("go", { maxSteps: turns, toolCallConcurrency: 64 });
  };
}
