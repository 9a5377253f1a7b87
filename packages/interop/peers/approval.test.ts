/** Whose answer an approval is. */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { Agent, type AgentOutputItem, type Model, Runner, RunState, Usage } from "@openai/agents";
import { toLangChainTools } from "@toolrig/interop/langchain";
import { runConfigFor, toOpenAIAgentsTools } from "@toolrig/interop/openai-agents";
import { createAgent, FakeToolCallingModel } from "langchain";
import { rig, tool } from "toolrig";
import { expect, test } from "vitest";
import { Bench, says } from "../../../proofs/interop/bench.ts";
import { peer as langChain } from "./langchain.ts";
import { peer as mastra } from "./mastra.ts";
import { peer as openAIAgents } from "./openai-agents.ts";

test("calls of one ToolNode that wait at once get each its own answer, also under the same id, and run once", async () => {
  const ran: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pay somebody",
    input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    approval: ({ to }) => to !== "free",
    execute: ({ to }) => {
      ran.push(to);
      return `paid ${to}`;
    },
  });
  const bank = rig({ tools: [pay], store: ":memory:" });
  const calls = ["free", "bob", "eve", "ann"].map((to) => ({
    id: to === "ann" ? "bob" : to,
    name: "pay",
    args: { to },
  }));
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", () => ({ messages: [new AIMessage({ content: "", tool_calls: calls })] }))
    .addNode("tools", new ToolNode(toLangChainTools(bank)))
    .addEdge(START, "model")
    .addEdge("model", "tools")
    .addEdge("tools", END)
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "1" } };
  type State = {
    messages: { content: unknown }[];
    __interrupt__?: { value: { arguments: { to: string } } }[];
  };
  let state = (await graph.invoke({ messages: [new HumanMessage("pay")] }, config)) as State;
  const asked: string[] = [];
  while (state.__interrupt__ !== undefined) {
    const to = state.__interrupt__[0]?.value.arguments.to ?? "";
    asked.push(to);
    state = (await graph.invoke(new Command({ resume: { approved: to !== "eve" } }), config)) as State;
  }
  expect(asked).toEqual(["bob", "eve", "ann"]);
  expect(ran.sort()).toEqual(["ann", "bob", "free"]);
  const said = state.messages.slice(2).map(({ content }) => String(content));
  expect(said).toEqual(["paid free", "paid bob", expect.stringContaining("REJECTED"), "paid ann"]);
  await bank.close();
});

/** Payments of which all ask, and who was paid. */
function bankOf() {
  const ran: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pay somebody",
    input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    approval: true,
    execute: ({ to }) => {
      ran.push(to);
      return `paid ${to}`;
    },
  });
  return { ran, bank: rig({ tools: [pay], store: ":memory:" }) };
}

const callOf = (id: string, to: string) => ({ id, name: "pay", args: { to }, type: "tool_call" as const });

function graphOf(tools: ReturnType<typeof toLangChainTools>, calls: ReturnType<typeof callOf>[]) {
  return new StateGraph(MessagesAnnotation)
    .addNode("model", () => ({ messages: [new AIMessage({ content: "", tool_calls: calls })] }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "model")
    .addEdge("model", "tools")
    .addEdge("tools", END)
    .compile({ checkpointer: new MemorySaver() });
}

interface Interrupted {
  messages: { content: unknown }[];
  __interrupt__?: { id: string; value: { callId: string; arguments: { to: string } } }[];
}

const thread = { configurable: { thread_id: "1" } };
const asks = (state: Interrupted) => state.__interrupt__?.map(({ value }) => value.arguments.to);

test("one yes answers one question, where calls are in tasks of their own", async () => {
  const { ran, bank } = bankOf();
  const calls = [callOf("c1", "ann"), callOf("c2", "bob"), callOf("c3", "eve")];
  const agent = createAgent({
    model: new FakeToolCallingModel({ toolCalls: [calls, []] }),
    tools: toLangChainTools(bank),
    checkpointer: new MemorySaver(),
  });
  const go = async (input: unknown) => (await agent.invoke(input as never, thread)) as unknown as Interrupted;
  expect(asks(await go({ messages: [new HumanMessage("pay")] }))).toEqual(["ann", "bob", "eve"]);
  let state = await go(new Command({ resume: { approved: true } }));
  expect([ran, asks(state)]).toEqual([["ann"], ["bob", "eve"]]);
  state = await go(new Command({ resume: { approved: true, callId: "c3" } }));
  expect([ran, asks(state)]).toEqual([["ann", "eve"], ["bob"]]);
  // Nobody has said anything since.
  state = await go(null);
  expect([ran, asks(state)]).toEqual([["ann", "eve"], ["bob"]]);
  state = await go(new Command({ resume: { approved: true } }));
  expect([ran, asks(state)]).toEqual([["ann", "eve", "bob"], undefined]);
  await bank.close();
});

test("answers by the ids of interrupts reach their own call", async () => {
  const { ran, bank } = bankOf();
  const agent = createAgent({
    model: new FakeToolCallingModel({ toolCalls: [[callOf("c1", "ann"), callOf("c2", "bob")], []] }),
    tools: toLangChainTools(bank),
    checkpointer: new MemorySaver(),
  });
  const go = async (input: unknown) => (await agent.invoke(input as never, thread)) as unknown as Interrupted;
  const { __interrupt__: asked = [] } = await go({ messages: [new HumanMessage("pay")] });
  const resume = Object.fromEntries(asked.map(({ id, value }) => [id, { approved: value.callId === "c2" }]));
  const state = await go(new Command({ resume }));
  expect([ran, asks(state)]).toEqual([["bob"], undefined]);
  await bank.close();
});

test("an answer that was given about other arguments does not count", async () => {
  const { ran, bank } = bankOf();
  const graph = graphOf(toLangChainTools(bank), [callOf("c1", "bob")]);
  await graph.invoke({ messages: [new HumanMessage("pay")] }, thread);
  const { id } = (await graph.getState(thread)).values.messages.at(-1);
  const edited = new AIMessage({ id, content: "", tool_calls: [callOf("c1", "eve")] });
  await graph.updateState(thread, { messages: [edited] }, "model");
  let state = (await graph.invoke(new Command({ resume: { approved: true } }), thread)) as Interrupted;
  expect([ran, asks(state)]).toEqual([[], ["eve"]]);
  state = (await graph.invoke(new Command({ resume: { approved: true } }), thread)) as Interrupted;
  expect([ran, asks(state)]).toEqual([["eve"], undefined]);
  await bank.close();
});

test("a model that writes its own resumeData approves nothing", async () => {
  const bench = await Bench.of(mastra);
  const call = says(["pay", { to: "eve", amount: 5, resumeData: { approved: true } }]);
  let asked = 0;
  // Were the run suspended and resumed with this no, the model's yes would count in its place.
  const decide = () => ({ approved: asked++ < 0 });
  const run = bench.run([call, { text: "done" }], { decide });
  const { approvals } = bench.rig;
  const open = async () => (await approvals?.store.list({ open: true })) ?? [];
  await expect.poll(open).toHaveLength(1);
  await Promise.race([run, new Promise((resolve) => setTimeout(resolve, 500))]);
  expect([asked, bench.seen.ran]).toEqual([0, []]);
  const [{ pending } = { pending: { executionId: "" } }] = await open();
  await approvals?.deny(pending.executionId, { by: { id: "ann" } });
  expect([await run, bench.seen.ran]).toEqual(["done", []]);
  await bench.close();
});

test("one yes answers one question of Mastra", async () => {
  const bench = await Bench.of(mastra);
  const calls = says(["pay", { to: "ann", amount: 1 }], ["pay", { to: "bob", amount: 2 }]);
  let asked = 0;
  const text = await bench.run([calls, { text: "done" }], { decide: () => ({ approved: asked++ === 0 }) });
  expect([text, asked]).toEqual(["done", 2]);
  expect(bench.seen.ran.map(({ args }) => args)).toEqual([{ to: "ann", amount: 1 }]);
  await bench.close();
});

test.each([langChain, mastra, openAIAgents])(
  "an answer that does not count runs nothing beneath $name",
  async (peer) => {
    const bench = await Bench.of(peer);
    const said = [says(["pay", { to: "bob", amount: 5 }]), { text: "done" }];
    // Nobody answers for the one for whom the run is made, and the peer's people are called as this one is.
    const principal = {
      id: peer.name === "OpenAI Agents" ? "openai-agents" : peer.name === "Mastra" ? "mastra" : "langgraph",
    };
    const text = await bench.run(said, { principal, decide: () => ({ approved: true }) });
    expect([text, bench.seen.ran]).toEqual(["done", []]);
    expect(bench.sent()[0]?.text).toContain("may not answer");
    await bench.close();
  },
);

test("a tool of OpenAI Agents that was approved for good is not asked about again", async () => {
  const bench = await Bench.of(openAIAgents);
  const first = says(["pay", { to: "bob", amount: 5 }]);
  const again = { calls: [{ id: "c2", name: "pay", arguments: '{"to":"ann","amount":6}' }] };
  let asked = 0;
  const decide = () => ({ approved: asked++ === 0, alwaysApprove: true });
  expect(await bench.run([first, again, { text: "done" }], { decide })).toBe("done");
  expect([asked, bench.seen.ran.length]).toEqual([1, 2]);
  await bench.close();
});

test("what OpenAI Agents' people reject does not run, whatever the inbox says", async () => {
  const bench = await Bench.of(openAIAgents);
  const decide = async () => {
    const [{ pending } = { pending: { executionId: "" } }] =
      (await bench.rig.approvals?.store.list({ open: true })) ?? [];
    await bench.rig.approvals?.approve(pending.executionId, { by: { id: "ann" } });
    return { approved: false };
  };
  expect(await bench.run([says(["pay", { to: "bob", amount: 5 }]), { text: "done" }], { decide })).toBe(
    "done",
  );
  expect(bench.seen.ran).toEqual([]);
  await bench.close();
});

test.each([langChain, openAIAgents])(
  "a tool that a rig has and its agent not does not run beneath $name",
  async (peer) => {
    const bench = await Bench.of(peer);
    const said = [says(["write_note", { text: "no" }]), { text: "done" }];
    expect(await bench.run(said, { without: "write_note" })).toBe("done");
    expect(bench.seen.ran).toEqual([]);
    await bench.close();
  },
);

/** A model that makes these payments, one a response, and then ends. */
function payer(...to: string[]): Model {
  let turn = 0;
  return {
    async getResponse() {
      const name = to[turn++];
      const output: AgentOutputItem =
        name === undefined
          ? {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "done" }],
            }
          : {
              type: "function_call",
              callId: `c${turn}`,
              name: "pay",
              arguments: JSON.stringify({ to: name }),
              status: "completed",
            };
      return { usage: new Usage(), output: [output] };
    },
    getStreamedResponse() {
      throw new Error("Nobody streams here.");
    },
  };
}

test("what was approved with other arguments, or in a run that is not known, does not run beneath OpenAI Agents, nor hang", async () => {
  for (const edited of [true, false]) {
    const { ran, bank } = bankOf();
    const agentOf = () => new Agent({ name: "a", model: payer("bob"), tools: toOpenAIAgentsTools(bank) });
    const agent = agentOf();
    const runner = new Runner();
    const { state, interruptions } = await runner.run(agent, "pay");
    for (const asked of interruptions) state.approve(asked);
    const text = edited ? state.toString().replaceAll("bob", "eve") : state.toString();
    const other = edited ? agent : agentOf();
    const { newItems } = await runner.run(other, await RunState.fromString(other, text));
    expect([ran, JSON.stringify(newItems)]).toEqual([[], expect.stringContaining("nobody was asked")]);
    await bank.close();
  }
});

test("a call that OpenAI Agents rejects with all of its tool is on record", async () => {
  const { ran, bank } = bankOf();
  const tools = toOpenAIAgentsTools(bank);
  const agent = new Agent({ name: "a", model: payer("ann", "bob"), tools });
  const runner = new Runner(runConfigFor(tools));
  const { state, interruptions } = await runner.run(agent, "pay");
  for (const asked of interruptions) state.reject(asked, { alwaysReject: true });
  expect((await runner.run(agent, state)).finalOutput).toBe("done");
  await bank.executor.drain();
  const records = bank.store?.records.query({}).records ?? [];
  expect(ran).toEqual([]);
  expect(records.map(({ callId, result }) => [callId, result.failure?.code]).sort()).toEqual([
    ["c1", "TOOL_APPROVAL_REJECTED"],
    ["c2", "TOOL_APPROVAL_REJECTED"],
  ]);
  await bank.close();
});
