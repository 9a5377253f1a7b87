import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { ModelRouterLanguageModel } from "@mastra/core/llm";
import { InMemoryStore } from "@mastra/core/storage";
import { endOfRun, toMastraTools, withRawArguments } from "@toolrig/interop/mastra";
import { type Peer, runOf, type Task } from "../../../proofs/interop/peer.ts";

export const peer: Peer = {
  name: "Mastra",
  version: "@mastra/core 1.71.0",
  wire: "openai chat",
  forbids: {
    "a budget of calls per turn":
      "Mastra runs calls that may suspend one after the other, and tells a tool nothing of the response it is part of: each is a turn of its own",
    "unknown tool":
      "Mastra answers for a tool that it does not have, with the names of all; nobody else hears of it",
  },

  async run(task) {
    const agent = agentFor(task);
    const { prompt, signal, streams, decide } = task;
    const options = { stopWhen: endOfRun, maxSteps: 10, ...(signal && { abortSignal: signal }) };
    let stream = await agent.stream(prompt, options);
    for (;;) {
      for await (const chunk of stream.fullStream)
        if (streams && chunk.type === "tool-output") task.onProgress(JSON.stringify(chunk.payload.output));
      const asked = (await stream.suspendPayload) as { toolName?: string; tool?: string } | undefined;
      if (asked === undefined) {
        const error = stream.error;
        if (error !== undefined) throw error;
        return stream.text;
      }
      const decision = await decide?.({ name: String(asked.tool) });
      stream = await agent.resumeStream(decision, { ...options, runId: stream.runId });
    }
  },
};

function agentFor(task: Task): Agent {
  const { rig, origin } = task;
  const model = new ModelRouterLanguageModel({ id: "local/m", url: `${origin}/v1`, apiKey: "none" });
  const agent = new Agent({
    id: "a",
    name: "a",
    instructions: "You are brief.",
    model: withRawArguments(model),
    tools: toMastraTools(rig, { run: runOf(task) }),
  });
  new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  return agent;
}
