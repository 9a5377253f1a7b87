import {
  Agent,
  OpenAIProvider,
  Runner,
  type RunResult,
  type RunState,
  type RunToolApprovalItem,
  type StreamedRunResult,
  setTracingDisabled,
} from "@openai/agents";
import {
  endOfRun,
  runConfigFor,
  toOpenAIAgentsTools,
  withRawArguments,
} from "@toolrig/interop/openai-agents";
import { type Peer, runOf, type Task } from "../../../proofs/interop/peer.ts";

// biome-ignore lint/suspicious/noExplicitAny: agents of the SDK are typed by their context and output, neither of which matters here
type AnyAgent = Agent<any, any>;
type Input = string | RunState<unknown, AnyAgent>;
type Result = RunResult<unknown, AnyAgent> | StreamedRunResult<unknown, AnyAgent>;

setTracingDisabled(true);

export const peer: Peer = {
  name: "OpenAI Agents",
  version: "@openai/agents 0.20.0",
  wire: "openai responses",
  edits: "inbox",
  forbids: {},
  run: (task) => run(task, true),
};

/** The same with the other of OpenAI's two interfaces. */
export const chatPeer: Peer = {
  ...peer,
  name: "OpenAI Agents (chat)",
  wire: "openai chat",
  run: (task) => run(task, false),
};

async function run(task: Task, useResponses: boolean): Promise<string> {
  const { rig, origin, prompt, signal, streams } = task;
  const tools = toOpenAIAgentsTools(rig, {
    onProgress: (update) => task.onProgress(JSON.stringify(update)),
    run: runOf(task),
  });
  const agent: AnyAgent = new Agent({
    name: "a",
    model: "m",
    tools: tools.filter(({ name }) => name !== task.without),
    toolUseBehavior: endOfRun,
  });
  const modelProvider = withRawArguments(
    new OpenAIProvider({ baseURL: `${origin}/v1`, apiKey: "none", useResponses }),
  );
  const runner = new Runner({ modelProvider, ...runConfigFor(tools) });
  const options = { ...(signal !== undefined && { signal }) };
  const go = async (input: Input): Promise<Result> => {
    if (!streams) return runner.run(agent, input, options);
    const streamed = await runner.run(agent, input, { ...options, stream: true });
    await streamed.completed;
    return streamed;
  };
  let result = await go(prompt);
  while (result.interruptions.length > 0) {
    for (const item of result.interruptions) await answer(task, result, item);
    result = await go(result.state);
  }
  return String(result.finalOutput);
}

async function answer({ decide }: Task, { state }: Result, item: RunToolApprovalItem): Promise<void> {
  const decision = await decide?.({ name: item.name ?? "" });
  if (decision?.approved === true) state.approve(item, { alwaysApprove: decision.alwaysApprove === true });
  else state.reject(item, decision?.reason === undefined ? {} : { message: decision.reason });
}
