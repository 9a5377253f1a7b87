/** Tools of the peers in a rig. */
import { tool as langChainTool } from "@langchain/core/tools";
import { createTool } from "@mastra/core/tools";
import { tool as agentsTool } from "@openai/agents";
import { fromLangChain } from "@toolrig/interop/langchain";
import { fromMastra } from "@toolrig/interop/mastra";
import { fromOpenAIAgents } from "@toolrig/interop/openai-agents";
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
