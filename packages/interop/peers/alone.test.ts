/** What the comparison says that peers make of a model's mistakes by themselves, with tools of their own: measured, at their pinned versions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Agent, tool as agentsTool, OpenAIProvider, Runner } from "@openai/agents";
import { tool as aiSdkTool, generateText, isStepCount } from "ai";
import { tool as langChainTool } from "langchain";
import { AgentLoop, aiSdkEngine, tool } from "toolrig";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Said } from "../../agent/test/wire/format.ts";
import { wireServer } from "../../agent/test/wire/server.ts";

const name = "get_weather";
const description = "Get the weather of a city";
const strict = z.object({ city: z.string(), days: z.number() });
const optional = z.object({ city: z.string().nullable(), days: z.number().nullable() }).partial();
type Input = z.infer<typeof optional>;

const LIMIT_MS = 100;

let model: Awaited<ReturnType<typeof wireServer>>;
/** Made when its address is known: nothing is asked anywhere else. */
const gpt = () => createOpenAI({ baseURL: `${model.origin}/v1`, apiKey: "none" }).chat("gpt-5");
let ran: Input[] = [];
const execute = async (input: Input) => {
  ran.push(input);
  if (input.city === "Lima") return new Promise<string>((resolve) => setTimeout(resolve, 1_000, "late"));
  if (input.city === "Atlantis") throw new Error("the sea is above it");
  return `Rain in ${input.city}`;
};

beforeAll(async () => {
  model = await wireServer();
  vi.stubEnv("OPENAI_BASE_URL", `${model.origin}/v1`);
  vi.stubEnv("OPENAI_API_KEY", "none");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await model.close();
});

/** In the order of the page's columns. */
const PEERS: Record<string, (schema: typeof strict) => Promise<unknown>> = {
  "AI SDK": (inputSchema) =>
    generateText({
      model: gpt(),
      tools: { [name]: aiSdkTool({ description, inputSchema, execute }) },
      timeout: { toolMs: LIMIT_MS },
      stopWhen: isStepCount(3),
      prompt: "How?",
    }),
  "OpenAI Agents": (parameters) => {
    const tools = [agentsTool({ name, description, parameters, execute, timeoutMs: LIMIT_MS })];
    const modelProvider = new OpenAIProvider({ useResponses: false });
    return new Runner({ tracingDisabled: true, modelProvider }).run(
      new Agent({ name: "Weather", model: "gpt-5", tools }),
      "How?",
    );
  },
  LangGraph: (schema) => {
    const llm = new ChatOpenAI({ model: "gpt-5", useResponsesApi: false, maxRetries: 0 });
    const tools = [langChainTool(execute, { name, description, schema })];
    return createReactAgent({ llm, tools }).invoke({ messages: [{ role: "user", content: "How?" }] });
  },
  Mastra: (inputSchema) => {
    const tools = { [name]: createTool({ id: name, description, inputSchema, execute }) };
    const local = { id: "local/gpt-5" as const, url: `${model.origin}/v1`, apiKey: "none" };
    return new MastraAgent({ id: "w", name: "W", instructions: "Be brief.", model: local, tools }).generate(
      "How?",
      {
        maxSteps: 3,
      },
    );
  },
  Toolrig: (input) => {
    const tools = [tool({ name, description, input, execute, timeout: LIMIT_MS })];
    return new AgentLoop({ engine: aiSdkEngine(gpt()), tools }).run("How?").outcome;
  },
};

const calls = (text: string, called = name): Said => ({
  calls: [{ id: "c1", name: called, arguments: text }],
});
const whole = '{"city":"Oslo","days":2}';

/** In the order of the page's rows. `names`: what a text must have to be called complete. */
const MISTAKES: readonly { said: Said; schema?: typeof strict; names: readonly string[] }[] = [
  { said: calls("{city: 'Oslo', days: 2,}"), names: ["city"] },
  { said: calls('{"city":"Oslo","days":"2"}'), names: ["days"] },
  { said: calls('{"city":{},"days":"two"}'), names: ["city", "days"] },
  {
    said: { ...calls('{"city":"Os'), cut: true },
    schema: optional as unknown as typeof strict,
    names: [],
  },
  { said: { ...calls(whole), cut: true }, names: [] },
  { said: calls(whole, "get_wether"), names: ["get_weather"] },
  { said: calls('{"city":"Atlantis","days":1}'), names: ["the sea is above it"] },
];

async function outcome(
  peer: string,
  { said, schema = strict, names }: (typeof MISTAKES)[number],
): Promise<string> {
  ran = [];
  model.play([said, { text: "done" }, { text: "done" }]);
  const failed = await PEERS[peer]!(schema).then(
    () => false,
    () => true,
  );
  const [good] = ran;
  if (good !== undefined && good.city !== "Atlantis")
    return good.city === "Oslo" && good.days === 2 ? "runs" : `runs with ${JSON.stringify(good)}`;
  const messages = (model.received[1]?.body.messages ?? []) as { role: string; content: unknown }[];
  const told = messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
  if (told.length > 0)
    return names.every((each) => told.join().includes(each)) ? "told" : "told only that it failed";
  return failed ? "ends the run" : "ends without a word";
}

const page = readFileSync(join(import.meta.dirname, "../../../docs/comparison.md"), "utf8");
const [, section = ""] = page.split("## What a model's mistakes come to\n");
const rows = section
  .split("\n## ")[0]!
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) =>
    line
      .split("|")
      .slice(2, -1)
      .map((cell) => cell.trim().replace(/ \(.*\)$/, "")),
  );

test("the page has a row for each", () => expect(rows).toHaveLength(MISTAKES.length));

for (const [at, mistake] of MISTAKES.entries())
  test(`row ${at + 1} is what happens`, async () => {
    const seen: string[] = [];
    for (const peer of Object.keys(PEERS)) seen.push(await outcome(peer, mistake));
    expect(seen).toEqual(rows[at]);
  });

test("a tool that ignores its signal is waited for beneath the AI SDK, and not beneath OpenAI Agents and Toolrig", async () => {
  const told: string[] = [];
  for (const peer of ["AI SDK", "OpenAI Agents", "Toolrig"]) {
    model.play([calls('{"city":"Lima","days":1}'), { text: "done" }]);
    await PEERS[peer]!(strict);
    const messages = model.received[1]!.body.messages as { role: string; content: unknown }[];
    told.push(JSON.stringify(messages.find(({ role }) => role === "tool")?.content));
  }
  expect(told).toEqual([
    expect.stringMatching(/late/),
    expect.stringMatching(/timed out/),
    expect.stringMatching(/TOOL_TIMEOUT/),
  ]);
});
