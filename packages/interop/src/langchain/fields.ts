import type { PeerFields } from "@toolrig/core/kit";

/** What loops of LangChain and LangGraph are called by, and tools that come from them. */
export const LANGCHAIN = "langchain";

/** Fields of a `StructuredTool`, besides the methods that every `Runnable` has. */
export const langChainFields = {
  name: ["run", "The name of the tool here, and in events."],
  description: ["carried", "Unless the rig's own description store has another."],
  schema: [
    "carried",
    "LangChain makes of it what the model is told. Arguments are validated by it in the pipeline.",
  ],
  func: ["run", "Within the pipeline."],
  returnDirect: ["carried", "Other loops end with its result, too."],
  responseFormat: ["run", "Content and artifact are those of the message that LangChain gets."],
  extras: ["carried", "Sent with the definition by models that know them."],
  defaultConfig: ["carried", "Merged with the config of each call."],
  verboseParsingErrors: [
    "not ours",
    "LangChain validates nothing here: the pipeline names every wrong argument, whatever this says.",
  ],
  verbose: ["carried", "LangChain logs the call."],
  callbacks: ["carried", "Hear of the call as without a rig."],
  tags: ["carried", "Stand in events."],
  metadata: ["carried", "Stands in events and in the message."],
} as const satisfies PeerFields;

/** What LangChain and LangGraph give to a tool's code: its config, which LangGraph makes a `ToolRuntime` of. */
export const langChainContextFields = {
  configurable: ["carried", "As the graph gives it."],
  recursionLimit: ["carried", "As the graph gives it."],
  maxConcurrency: ["carried", "As the graph gives it."],
  timeout: ["carried", "As the graph gives it."],
  signal: ["run", "Aborts as the graph's does, and when a deadline of the pipeline passes."],
  runName: ["carried", "As the graph gives it, else the name of the tool."],
  tags: ["carried", "As the graph gives it."],
  metadata: ["carried", "As the graph gives it."],
  callbacks: ["carried", "What the tool runs is traced below its own run."],
  runId: ["carried", "As the graph gives it."],
  state: ["carried", "The live state of the graph. A `Command` that the tool returns changes it."],
  toolCallId: ["carried", "The provider's id of the call."],
  toolCall: ["carried", "As the model wrote it."],
  config: ["carried", "As the graph gives it."],
  context: ["carried", "The context of the run."],
  store: ["carried", "The store of the graph."],
  writer: ["carried", "Writes into the graph's own stream; the rig's events have it, too."],
} as const satisfies PeerFields;
