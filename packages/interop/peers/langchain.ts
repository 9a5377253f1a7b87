import { Command, MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { middlewareFor, toLangChainTools, withRawArguments } from "@toolrig/interop/langchain";
import { createAgent, createMiddleware } from "langchain";
import { type Peer, runOf, type Task } from "../../../proofs/interop/peer.ts";

/** LangChain's `createAgent` and LangGraph's `createReactAgent`, as far as they are used alike. */
interface Graph {
  // biome-ignore lint/suspicious/noExplicitAny: both type their input by their state
  stream(input: any, config: object): Promise<AsyncIterable<unknown>>;
}

export const peer: Peer = {
  name: "LangChain",
  version: "langchain 1.5.14",
  wire: "openai chat",
  forbids: {},
  async run(task) {
    const tools = toLangChainTools(task.rig, { run: runOf(task) });
    const agent = createAgent({
      model: modelFor(task),
      tools: tools.filter(({ name }) => name !== task.without),
      checkpointer: new MemorySaver(),
      middleware: [createMiddleware(middlewareFor(tools))],
    });
    return drive(agent as unknown as Graph, task);
  },
};

export const langGraph: Peer = {
  name: "LangGraph",
  version: "@langchain/langgraph 1.4.18",
  wire: "openai chat",
  forbids: {
    "unknown tool":
      "a ToolNode answers for a tool that it does not have, without a name that is near; nobody else hears of it",
  },
  async run(task) {
    const tools = toLangChainTools(task.rig, {
      returnDirect: ["finish"],
      run: runOf(task),
    });
    const agent = createReactAgent({ llm: modelFor(task), tools, checkpointer: new MemorySaver() });
    return drive(agent as unknown as Graph, task);
  },
};

function modelFor({ origin }: Task): ChatOpenAI {
  const configuration = { baseURL: `${origin}/v1` };
  return withRawArguments(new ChatOpenAI({ model: "m", apiKey: "none", maxRetries: 0, configuration }));
}

async function drive(graph: Graph, task: Task): Promise<string> {
  const { prompt, signal, streams, onProgress, decide } = task;
  // Whoever listens to messages has the model stream them.
  const streamMode = ["values", "custom", ...(streams ? ["messages"] : [])];
  const config = { configurable: { thread_id: "t" }, streamMode, ...(signal && { signal }) };
  let input: unknown = { messages: [{ role: "user", content: prompt }] };
  for (;;) {
    let last: { messages?: { text: string }[]; __interrupt__?: { value: { tool: string } }[] } = {};
    for await (const chunk of await graph.stream(input, config)) {
      const [mode, value] = chunk as [string, never];
      if (mode === "custom") onProgress(JSON.stringify(value));
      if (mode === "values") last = value;
    }
    const [asked] = last.__interrupt__ ?? [];
    if (asked === undefined) return last.messages?.at(-1)?.text ?? "";
    input = new Command({ resume: await decide?.({ name: asked.value.tool }) });
  }
}
