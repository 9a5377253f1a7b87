/** Tools of the peers in a rig. */
import { ToolMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { createTool } from "@mastra/core/tools";
import { Agent, tool as agentsTool, type Model, Runner, Usage } from "@openai/agents";
import { fromLangChain, toLangChainTools } from "@toolrig/interop/langchain";
import { fromMastra, toMastraTools } from "@toolrig/interop/mastra";
import { fromOpenAIAgents, toOpenAIAgentsTools } from "@toolrig/interop/openai-agents";
import { fromPi } from "@toolrig/interop/pi";
import { rig } from "toolrig";
import { expect, test } from "vitest";
import { z } from "zod";

const input = z.object({ city: z.string() });

const weather = {
  "OpenAI Agents": fromOpenAIAgents(
    agentsTool({
      name: "weather",
      description: "Weather",
      parameters: input,
      execute: async ({ city }) => {
        if (city === "Atlantis") throw new Error("it is under water");
        return `Rain in ${city}`;
      },
      errorFunction: null,
    }),
  ),
  LangChain: fromLangChain(
    langChainTool(
      async ({ city }) => {
        if (city === "Atlantis") throw new Error("it is under water");
        return `Rain in ${city}`;
      },
      { name: "weather", description: "Weather", schema: input },
    ),
  ),
  Mastra: fromMastra(
    createTool({
      id: "weather",
      description: "Weather",
      inputSchema: input,
      execute: async ({ city }) => {
        if (city === "Atlantis") throw new Error("it is under water");
        return `Rain in ${city}`;
      },
    }),
  ),
  pi: fromPi({
    name: "weather",
    label: "Weather",
    description: "Weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    async execute(_id, { city }, _signal, onUpdate) {
      if (city === "Atlantis") throw new Error("it is under water");
      onUpdate?.({ content: [{ type: "text", text: "looking" }], details: {} });
      return { content: [{ type: "text", text: `Rain in ${city}` }], details: {}, terminate: true };
    },
  }),
};

test.each(Object.entries(weather))("a tool of %s has the whole pipeline", async (_name, tool) => {
  const { call, close } = rig({ tools: [tool] });
  const said = async (args: unknown) => {
    const { content, decoded } = await call({ id: "c", name: "weather", arguments: args });
    return [content.map((part) => (part.type === "text" ? part.text : "")).join(), decoded.mode];
  };
  expect(await said("{city: 'Oslo'}")).toEqual(["Rain in Oslo", "repaired"]);
  expect((await said({ town: "Oslo" }))[0]).toMatch(/city: required/);
  expect((await said({ city: "Atlantis" }))[0]).toMatch(/under water/);
  await close();
});

test("pi's progress and end of run", async () => {
  const { call, events, close } = rig({ tools: [weather.pi] });
  const updates: unknown[] = [];
  events.on("call.update", ({ update }) => updates.push(update.content));
  const { terminate } = await call({ id: "c", name: "weather", arguments: { city: "Oslo" } });
  expect([updates, terminate]).toEqual([["looking"], true]);
  await close();
});

test("what a tool of Mastra suspends for is asked of the person behind the run", async () => {
  const book = fromMastra(
    createTool({
      id: "book",
      description: "Book a table",
      inputSchema: z.object({}),
      resumeSchema: z.object({ guests: z.number() }),
      execute: async (_, { agent }) => {
        const { guests } = (agent?.resumeData ?? {}) as { guests?: number };
        if (guests === undefined) return agent?.suspend({ question: "For how many?" });
        return `a table for ${guests}`;
      },
    }),
  );
  const { call, waits, close } = rig({ tools: [book] });
  const booked = call({ id: "c", name: "book" });
  await expect.poll(() => waits.counts()).toHaveLength(1);
  const [question] = await waits.list({ open: true });
  await waits.answer(question?.executionId ?? "", { by: { id: "ada" }, value: { guests: 4 } });
  expect((await booked).value).toBe("a table for 4");
  await close();
});

test("the SDK of OpenAI keeps what was thrown to itself, unless it is told not to", async () => {
  const silent = agentsTool({
    name: "silent",
    description: "Throw",
    parameters: z.object({}),
    execute: async () => {
      throw new Error("nobody hears this");
    },
  });
  const { call, close } = rig({ tools: [fromOpenAIAgents(silent)] });
  expect(await call({ id: "c", name: "silent", arguments: {} })).toMatchObject({ isError: true });
  await close();
});

test("a tool of OpenAI Agents that is not enabled is not listed, and does not run", async () => {
  let isOn = false;
  const paid: string[] = [];
  const pay = agentsTool({
    name: "pay",
    description: "Pay",
    parameters: z.object({}),
    isEnabled: () => isOn,
    execute: async () => paid.push("x"),
  });
  const { call, registry, close } = rig({ tools: [fromOpenAIAgents(pay)] });
  await expect.poll(() => registry.definitions()).toEqual([]);
  const refused = await call({ id: "c1", name: "pay", arguments: {} });
  expect([refused.failure?.code, paid]).toEqual(["TOOL_UNAVAILABLE", []]);
  isOn = true;
  await expect.poll(() => registry.definitions()).toHaveLength(1);
  isOn = false;
  const late = await call({ id: "c2", name: "pay", arguments: {} });
  expect([late.failure?.code, paid]).toEqual(["TOOL_UNAVAILABLE", []]);
  await close();
});

/** Makes the calls, each in a turn of its own, and tells what the SDK's model is told of them. */
async function agentsRun(tools: AgentsTools, ...names: string[]): Promise<unknown[]> {
  const usage = new Usage();
  const model: Model = {
    async getResponse({ input: sent }) {
      const results = Array.isArray(sent) ? sent.filter(({ type }) => type === "function_call_result") : [];
      const name = names[results.length];
      if (name === undefined) return { usage, output: [said(JSON.stringify(results))] };
      const callId = `c${results.length}`;
      return {
        usage,
        output: [{ type: "function_call", callId, name, arguments: "{}", status: "completed" }],
      };
    },
    getStreamedResponse: () => Promise.reject(new Error("not streamed")) as never,
  };
  const agent = new Agent({ name: "Support", tools: tools as never, model });
  const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, "Go.");
  return JSON.parse(String(finalOutput)).map(({ output }: { output: { text: string } }) => output.text);
}

type AgentsTools = ReturnType<typeof toOpenAIAgentsTools>;

function said(text: string) {
  const content = [{ type: "output_text" as const, text }];
  return { type: "message" as const, role: "assistant" as const, status: "completed" as const, content };
}

test("a tool of OpenAI Agents that is enabled by its agent, or only later, runs beneath the SDK", async () => {
  let isOn = false;
  let asked = 0;
  const isEnabledLater = () => {
    asked += 1;
    return isOn;
  };
  const parts = { description: "Answer", parameters: z.object({}) };
  const later = agentsTool({
    ...parts,
    name: "later",
    isEnabled: isEnabledLater,
    execute: () => "ran later",
  });
  const byAgent = agentsTool({
    ...parts,
    name: "by_agent",
    isEnabled: ({ agent }) => agent.name === "Support",
    execute: () => "ran by agent",
  });
  const open = agentsTool({
    ...parts,
    name: "open",
    execute: () => {
      isOn = true;
      return "opened";
    },
  });
  const { close, ...parted } = rig({ tools: [open, later, byAgent].map((each) => fromOpenAIAgents(each)) });
  await expect.poll(() => asked).toBeGreaterThan(0);
  await Promise.resolve();
  const told = await agentsRun(toOpenAIAgentsTools(parted), "open", "later", "by_agent");
  expect(told).toEqual(["opened", "ran later", "ran by agent"]);
  await close();
});

test("a message of LangChain's own about a failure keeps its words and its artifact", async () => {
  const failing = langChainTool(
    (_: unknown, { toolCallId }: { toolCallId?: string }) =>
      new ToolMessage({
        content: "no table",
        status: "error",
        tool_call_id: toolCallId ?? "",
        artifact: { full: true },
      }),
    { name: "book", description: "Book a table", schema: z.object({}) },
  );
  const { close, ...parted } = rig({ tools: [fromLangChain(failing as never)] });
  const [book] = toLangChainTools(parted);
  const call = { type: "tool_call", id: "c1", name: "book", args: {} } as const;
  expect(await book?.invoke(call, { toolCallId: "c1" } as never)).toMatchObject({
    content: "no table",
    status: "error",
    artifact: { full: true },
  });
  await close();
});

test.each([null, 0, false])("Mastra gets %s as the value of its own tool", async (value) => {
  const own = createTool({
    id: "own",
    description: "Answer",
    inputSchema: z.object({}),
    execute: async () => value,
  });
  const { close, ...parted } = rig({ tools: [fromMastra(own as never)] });
  expect(await toMastraTools(parted).own?.execute({})).toBe(value);
  await close();
});
