import { type AgentTool, runAgentLoop, type StreamFn } from "@earendil-works/pi-agent-core";
import { type AssistantMessage, createAssistantMessageEventStream, type Model } from "@earendil-works/pi-ai";
import type { Reply, Script, Task } from "../workload.ts";
import type { Peer, Play } from "./peer.ts";

/** `runAgentLoop` with an event sink that does nothing: `agentLoop` is the same with a queue of events on top. */
export const pi: Peer = (tasks) => playing(tasks.map(asTool));

/** The same with tools that are pi's already. */
export function playing(tools: AgentTool[]): Play {
  return async (script, turns = Number.MAX_SAFE_INTEGER) => {
    let turn = 0;
    return runAgentLoop(
      [{ role: "user", content: "go", timestamp: Date.now() }],
      { messages: [], tools },
      {
        model: MODEL,
        convertToLlm: (messages) => messages as never,
        finishTurn: () => (++turn >= turns ? { action: "end" } : undefined),
      },
      () => {},
      undefined,
      scriptedStream(script),
    );
  };
}

function asTool(task: Task): AgentTool {
  return {
    name: task.name,
    label: task.name,
    description: task.description,
    parameters: task.jsonSchema as AgentTool["parameters"],
    async execute(_id, args) {
      const details = await task.run(args);
      return { content: [{ type: "text", text: JSON.stringify(details) }], details };
    },
  };
}

const MODEL: Model<string> = {
  id: "scripted",
  name: "scripted",
  api: "scripted",
  provider: "scripted",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 100_000,
};

const USAGE = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

function scriptedStream(script: Script): StreamFn {
  return () => {
    const message = answer(script());
    const stream = createAssistantMessageEventStream();
    stream.push({ type: "start", partial: message });
    stream.push({ type: "done", reason: message.stopReason as "stop" | "toolUse", message });
    stream.end(message);
    return stream;
  };
}

/** Arguments are parsed here because pi's providers hand them over parsed. */
function answer(reply: Reply): AssistantMessage {
  const text = "text" in reply;
  return {
    role: "assistant",
    content: text
      ? [{ type: "text", text: reply.text }]
      : reply.calls.map((call) => ({
          type: "toolCall",
          id: call.id,
          name: call.name,
          arguments: JSON.parse(call.arguments),
        })),
    api: MODEL.api,
    provider: MODEL.provider,
    model: MODEL.id,
    usage: USAGE,
    stopReason: text ? "stop" : "toolUse",
    timestamp: Date.now(),
  };
}
