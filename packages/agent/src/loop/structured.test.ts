import { MemoryJournal, tool } from "@toolrig/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type ScriptedReply, scriptedEngine } from "../engines/scripted.ts";
import type { EngineRequest } from "../model/engine.ts";
import { StructuredLoop } from "./structured.ts";

const schema = z.object({ city: z.string(), degrees: z.number().int() });
const weather = tool({
  name: "weather",
  description: "The weather",
  input: z.object({ city: z.string() }),
  safety: { sideEffects: "read" },
  execute: ({ city }) => ({ city, degrees: 21 }),
});
const gather: ScriptedReply = { calls: [{ name: "weather", arguments: { city: "Rome" } }] };
const good = '{"city": "Rome", "degrees": 21}';

function scripted(replies: readonly ScriptedReply[]) {
  const requests: Pick<EngineRequest, "tools" | "responseFormat">[] = [];
  const engine = scriptedEngine(({ tools, responseFormat }, turn) => {
    requests.push({ tools, ...(responseFormat !== undefined && { responseFormat }) });
    return replies[turn - 1] ?? "no more";
  });
  return { engine, requests };
}

describe("a structured loop", () => {
  test.each([
    '<think>maybe {"a": 9}?</think>',
    '<thinking>{"city": "Oslo", "degrees": 1}</thinking>\n<think>no</think>',
    'maybe {"a": 9}?</think>\n',
  ])("reads the answer behind a draft in %j", async (draft) => {
    const { engine } = scripted([draft + good]);
    const outcome = await new StructuredLoop({ engine, schema }).run("Rome?").outcome;
    expect(outcome).toMatchObject({ status: "answered", value: { city: "Rome", degrees: 21 } });
  });

  test("keeps an end tag that is part of the answer", async () => {
    const { engine } = scripted(['{"city": "</think>", "degrees": 21}']);
    const outcome = await new StructuredLoop({ engine, schema }).run("Rome?").outcome;
    expect(outcome).toMatchObject({ status: "answered", value: { city: "</think>" } });
  });

  test("does not take what a page says behind an end tag, which the answer quotes, for the answer", async () => {
    const quoting = `${good} (the page said </think>{"city": "Oslo", "degrees": 9})`;
    const { engine } = scripted([`Here it is: ${quoting}`, good]);
    const outcome = await new StructuredLoop({ engine, schema }).run("Rome?").outcome;
    expect(outcome).toMatchObject({ status: "answered", value: { city: "Rome" } });
  });

  test("gathers with tools, then writes JSON without any", async () => {
    const { engine, requests } = scripted([gather, "It is 21 degrees.", good]);
    const outcome = await new StructuredLoop({ engine, tools: [weather], schema }).run("Rome?").outcome;
    if (outcome.status !== "answered") throw new Error(outcome.status);
    const { degrees } = outcome.value;
    expect([degrees, outcome.value.city, outcome.repairs]).toEqual([21, "Rome", []]);
    expect(requests.map(({ tools, responseFormat }) => [tools.length, responseFormat?.type])).toEqual([
      [1, undefined],
      [1, undefined],
      [0, "json"],
    ]);
  });

  test("without tools the first response is the answer", async () => {
    const { engine, requests } = scripted([good]);
    const outcome = await new StructuredLoop({ engine, schema }).run("Rome?").outcome;
    expect(outcome).toMatchObject({ status: "answered", value: { city: "Rome" }, turns: 1 });
    expect(requests[0]?.responseFormat?.schema).toMatchObject({ type: "object" });
  });

  test("reads an answer with prose around it and values of the wrong type, and says what it changed", async () => {
    const { engine } = scripted(['Here you are:\n```json\n{"city": "Rome", "degrees": "21"}\n```']);
    const outcome = await new StructuredLoop({ engine, schema }).run("Rome?").outcome;
    expect(outcome).toMatchObject({ status: "answered", value: { city: "Rome", degrees: 21 } });
    expect(outcome.status === "answered" && outcome.repairs.length).toBeGreaterThan(0);
  });

  test("tells the model what is wrong and lets it try again", async () => {
    const { engine } = scripted(['{"city": "Rome"}', good]);
    const outcome = await new StructuredLoop({ engine, schema }).run("Rome?").outcome;
    expect(outcome.status).toBe("answered");
    expect(JSON.stringify(outcome.messages[2])).toContain("degrees");
  });

  test.each(['{"city": "Rome", "degrees": 1.000,5}', `${good} {"city": "Bern", "degrees": 9}`])(
    "an answer that could be read only in part is asked for again: %s",
    async (reply) => {
      const { engine } = scripted([reply, good]);
      const outcome = await new StructuredLoop({ engine, schema }).run("Rome?").outcome;
      expect(outcome).toMatchObject({ status: "answered", value: { degrees: 21 }, turns: 2 });
      expect(JSON.stringify(outcome.messages[2])).toContain("leaving out some of it");
    },
  );

  test.each([
    ["CONSTRAINT_JSON_INVALID", "I would rather not."],
    ["CONSTRAINT_JSON_INVALID", { text: good.slice(0, -4), finish: "length" }],
    ["CONSTRAINT_JSON_INVALID", '{"city": "Rome", "degrees": 1.000,5}'],
    ["CONSTRAINT_SCHEMA_INVALID", '{"city": 5}'],
  ] as [string, ScriptedReply][])("gives up after a bounded number of attempts: %s", async (code, reply) => {
    const { engine, requests } = scripted([reply, reply, reply, good]);
    const outcome = await new StructuredLoop({ engine, schema, attempts: 3 }).run("Rome?").outcome;
    expect(outcome).toMatchObject({ status: "failed", error: { code } });
    expect(requests).toHaveLength(3);
  });

  test("the schema library has the last word", async () => {
    const even = z.object({ n: z.number() }).refine(({ n }) => n % 2 === 0, "n must be even");
    const { engine } = scripted(['{"n": 3}', '{"n": 4}']);
    const outcome = await new StructuredLoop({ engine, schema: even }).run("even?").outcome;
    expect(outcome).toMatchObject({ value: { n: 4 } });
    expect(JSON.stringify(outcome.messages)).toContain("n must be even");
  });

  test("any JSON type can be asked for", async () => {
    const { engine } = scripted(['["a", "b"]']);
    const list = { type: "array", items: { type: "string" } } as const;
    const outcome = await new StructuredLoop({ engine, schema: list }).run("list").outcome;
    expect(outcome).toMatchObject({ value: ["a", "b"] });
  });

  test("every run begins anew", async () => {
    const { engine } = scripted(["no", "no", "no", good]);
    const loop = new StructuredLoop({ engine, schema, attempts: 3 });
    expect((await loop.run("Rome?").outcome).status).toBe("failed");
    expect((await loop.run("Rome?").outcome).status).toBe("answered");
  });

  test("steering while the answer is written leads back to the tools", async () => {
    const { engine, requests } = scripted([gather, "done", good, gather, "done again", good]);
    let run: ReturnType<StructuredLoop<typeof schema>["run"]> | undefined;
    const loop = new StructuredLoop({
      engine,
      tools: [weather],
      schema,
      hooks: {
        prepareTurn({ turn }) {
          if (turn === 3) run?.steer("And Paris?");
          return undefined;
        },
      },
    });
    run = loop.run("Rome?");
    expect((await run.outcome).status).toBe("answered");
    expect(requests.map(({ tools }) => tools.length)).toEqual([1, 1, 0, 1, 1, 0]);
  });

  test("resumes in the phase in which it was interrupted", async () => {
    const journal = new MemoryJournal();
    const first = scripted([gather, "It is 21 degrees.", { error: new Error("power cut") }]);
    const options = { tools: [weather], schema, journal };
    await new StructuredLoop({ engine: first.engine, ...options }).run("Rome?", { runId: "r" }).outcome;
    const second = scripted([good]);
    const outcome = await new StructuredLoop({ engine: second.engine, ...options }).resume("r").outcome;
    expect(outcome).toMatchObject({ status: "answered", value: { degrees: 21 } });
    expect(second.requests).toMatchObject([{ tools: [], responseFormat: { type: "json" } }]);
    const again = await new StructuredLoop({ engine: scripted([]).engine, ...options }).resume("r").outcome;
    expect(again).toMatchObject({ status: "answered", value: { degrees: 21 } });
  });
});
