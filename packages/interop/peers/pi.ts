import { Agent, type AgentEvent } from "@earendil-works/pi-agent-core";
import type { Model } from "@earendil-works/pi-ai";
import { streamSimple } from "@earendil-works/pi-ai/api/openai-completions";
import { toPiTools, withRawArguments } from "@toolrig/interop/pi";
import { type Peer, runOf } from "../../../proofs/interop/peer.ts";

export const peer: Peer = {
  name: "pi",
  version: "@earendil-works/pi-agent-core 0.87.1",
  wire: "openai chat",
  approves: "inbox",
  forbids: {
    "unknown tool":
      "pi answers for a tool that it does not have, without a name that is near; nobody else hears of it",
  },

  async run(task) {
    const { rig, origin, prompt, signal, onProgress } = task;
    const agent = new Agent({
      initialState: {
        model: modelAt(origin),
        systemPrompt: "You are brief.",
        tools: toPiTools(rig, { run: runOf(task) }),
      },
      streamFn: withRawArguments(streamSimple as never),
      getApiKey: () => "none",
    });
    signal?.addEventListener("abort", () => agent.abort());
    agent.subscribe((event: AgentEvent) => {
      if (event.type === "tool_execution_update") onProgress(JSON.stringify(event.partialResult));
    });
    await agent.prompt(prompt);
    const last = agent.state.messages.at(-1);
    if (last?.role !== "assistant") return "";
    if (last.stopReason === "error") throw new Error(last.errorMessage);
    return last.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  },
};

function modelAt(origin: string): Model<"openai-completions"> {
  return {
    id: "m",
    name: "m",
    api: "openai-completions",
    provider: "local",
    baseUrl: `${origin}/v1`,
    reasoning: false,
    input: ["text", "image"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 1_000,
  };
}
