import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import type { Reply, Script, Task } from "../workload.ts";
import type { Peer, Play } from "./peer.ts";

/** The prebuilt ReAct agent, without checkpoints and tracing. LangChain's `createAgent` runs the same graph engine. */
export const langGraph: Peer = (tasks) => playing(tasks.map(asTool));

function asTool(task: Task) {
  return tool((args: unknown) => task.run(args), {
    name: task.name,
    description: task.description,
    schema: task.zod as never,
  });
}

/** The same with tools that are LangChain's already. */
export function playing(tools: StructuredToolInterface[]): Play {
  return async (script, turns = 1_000_000_000) => {
    const agent = createReactAgent({ llm: new ScriptedModel(script), tools });
    return agent.invoke({ messages: [{ role: "user", content: "go" }] }, { recursionLimit: 2 * turns });
  };
}

class ScriptedModel extends BaseChatModel {
  readonly #script: Script;

  constructor(script: Script) {
    super({});
    this.#script = script;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  async _generate() {
    const message = answer(this.#script());
    return { generations: [{ message, text: typeof message.content === "string" ? message.content : "" }] };
  }
}

/** Arguments are parsed here because LangChain's providers hand them over parsed. */
function answer(reply: Reply): AIMessage {
  if ("text" in reply) return new AIMessage(reply.text);
  const calls = reply.calls.map((call) => ({
    type: "tool_call" as const,
    id: call.id,
    name: call.name,
    args: JSON.parse(call.arguments),
  }));
  return new AIMessage({ content: "", tool_calls: calls });
}
