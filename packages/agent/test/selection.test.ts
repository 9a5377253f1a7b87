import { type AnyTool, combineSources, MemoryDescriptionStore, Registry, tool } from "@toolrig/core";
import { describe, expect, test } from "vitest";
import { AgentLoop, findToolsTool, scriptedEngine, selectTools, ToolIndex } from "../src/index.ts";
import { derivedQueries, HARD_QUERIES, QUERIES } from "./selection/queries.ts";
import { filler, manyTools } from "./selection/tools.ts";

const many = manyTools();
const queries = [...QUERIES, ...derivedQueries(many.map((each) => each.name))];

function recallOf(index: ToolIndex, count: number): { recall: number; missed: string[] } {
  const missed = queries.filter(
    ([query, name]) => !index.select(query, count).some((each) => each.name === name),
  );
  return {
    recall: 1 - missed.length / queries.length,
    missed: missed.map(([query, name]) => `${name}: ${query}`),
  };
}

describe("selection", () => {
  test(`finds the right one of ${many.length} tools for ${queries.length} queries`, () => {
    expect(many.length).toBeGreaterThanOrEqual(500);
    expect(queries.length).toBeGreaterThanOrEqual(200);
    const known = new Set(many.map((each) => each.name));
    for (const [, name] of queries) expect(known).toContain(name);
    const weighted = new ToolIndex(many);
    const plain = new ToolIndex(many, undefined, { weights: false });
    const rows = [1, 3, 5, 10].map((count) => {
      const [with_, without] = [recallOf(weighted, count), recallOf(plain, count)];
      return `recall at ${count}: ${with_.recall.toFixed(3)} with weights, ${without.recall.toFixed(3)} without`;
    });
    const five = recallOf(weighted, 5);
    console.log([...rows, ...five.missed.map((miss) => `missed at 5: ${miss}`)].join("\n"));
    const hard = HARD_QUERIES.filter(([query, name]) =>
      weighted.select(query, 5).some((each) => each.name === name),
    );
    console.log(`of ${HARD_QUERIES.length} queries that avoid the tools' words: ${hard.length} found at 5`);
    expect(five.recall).toBeGreaterThanOrEqual(0.95);
    expect(five.recall).toBeGreaterThanOrEqual(recallOf(plain, 5).recall);
  });

  test("takes a small part of what a linear scan over 10,000 tools takes", () => {
    const all = [...many, ...filler(10_000 - many.length)];
    const index = new ToolIndex(all);
    const texts = all.map(({ name, definition }) => `${name} ${definition.description}`.toLowerCase());
    const scan = (query: string) => {
      const words = query.toLowerCase().split(/\W+/);
      const scores = texts.map((text) => words.reduce((sum, word) => sum + (text.includes(word) ? 1 : 0), 0));
      return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, 10);
    };
    const timed = (act: (query: string) => unknown, rounds: number) => {
      for (const [query] of queries.slice(0, 20)) act(query);
      const from = process.threadCpuUsage();
      for (let round = 0; round < rounds; round++) for (const [query] of queries.slice(0, 20)) act(query);
      const { user, system } = process.threadCpuUsage(from);
      return (user + system) / 1_000 / rounds / 20;
    };
    const [ours, linear] = [timed((query) => index.select(query, 10), 20), timed(scan, 5)];
    console.log(
      `select over 10,000 tools: ${(ours * 1_000).toFixed(0)}µs, linear scan ${(linear * 1_000).toFixed(0)}µs, ratio ${(ours / linear).toFixed(3)}`,
    );
    expect(ours / linear).toBeLessThan(0.5);
  });

  test("is stable, and follows preference", () => {
    const named = (name: string, preference: object = {}): AnyTool =>
      tool({
        name,
        description: "Search the web",
        input: { type: "object" },
        preference,
        execute: () => "ok",
      });
    const tools = [
      named("search_c"),
      named("search_a"),
      named("search_b", { weight: 2 }),
      named("search_d", { enabled: false }),
    ];
    const names = selectTools(tools, "searching the webs", 10).map((each) => each.name);
    expect(names).toEqual(["search_b", "search_a", "search_c"]);
    expect(selectTools(tools, "searching the webs", 10).map((each) => each.name)).toEqual(names);
    expect(selectTools(tools, "zzz", 10)).toEqual([]);
    expect(selectTools(tools, "", 10)).toEqual([]);
  });

  test("leaves out what is not available, and finds what others describe or add later", () => {
    let open = false;
    const shop = tool({
      name: "buy",
      description: "Buy",
      input: { type: "object" },
      available: () => open,
      execute: () => "ok",
    });
    const descriptions = new MemoryDescriptionStore();
    const registry = new Registry([shop], { descriptions });
    expect(selectTools(registry, "buy")).toEqual([]);
    open = true;
    expect(selectTools(registry, "buy")).toEqual([shop]);
    descriptions.set("buy", "Purchase groceries");
    expect(selectTools(registry, "groceries")).toEqual([shop]);
    const sell = tool({
      name: "sell",
      description: "Sell groceries",
      input: { type: "object" },
      execute: () => "ok",
    });
    registry.add(sell);
    expect(selectTools(registry, "groceries")).toHaveLength(2);
  });
});

describe("a loop with many tools", () => {
  const offeredBy = async (
    replies: Parameters<typeof scriptedEngine>[0],
    options: object = {},
    task = "open a bug report on github",
  ) => {
    const offered: string[][] = [];
    const engine = scriptedEngine((request, turn) => {
      offered.push(request.tools.map((each) => each.name));
      return (replies as readonly never[])[turn - 1] ?? "done";
    });
    const loop = new AgentLoop({
      engine,
      tools: many,
      selection: { initial: 3, found: 2, always: ["bank_list_card"] },
      ...options,
    });
    return { offered, outcome: await loop.run(task).outcome };
  };
  const finding = (query: string) => ({ calls: [{ name: "find_tools", arguments: { query } }] });

  test("offers search, what fits and what was found, and never moves what it has offered", async () => {
    const { offered, outcome } = await offeredBy([
      finding("weather forecast"),
      { calls: [{ name: "weather_get_forecast", arguments: {} }] },
      finding("spotify playlist"),
    ]);
    expect(offered[0]!.slice(0, 2)).toEqual(["find_tools", "bank_list_card"]);
    expect(offered[0]!.slice(2).every((name) => name.startsWith("github_"))).toBe(true);
    expect(offered[0]).toHaveLength(5);
    for (const [index, names] of offered.entries()) {
      expect(names.slice(0, offered[index - 1]?.length ?? 0)).toEqual(offered[index - 1] ?? []);
    }
    expect(offered[1]).toContain("weather_get_forecast");
    expect(offered[3]!.some((name) => name.startsWith("spotify"))).toBe(true);
    expect(JSON.stringify(outcome.messages)).toContain('"ok"');
  });

  test("offers all tools when they are few", async () => {
    const { offered } = await offeredBy([], { tools: many.slice(0, 10) });
    expect(offered[0]).toHaveLength(10);
    expect(offered[0]).not.toContain("find_tools");
  });

  test("shows nothing that is not allowed", async () => {
    const { offered, outcome } = await offeredBy([finding("github issue")], {
      executor: { allow: ["weather_get_forecast"] },
    });
    expect(offered).toEqual([["find_tools"], ["find_tools"]]);
    expect(JSON.stringify(outcome.messages)).toContain("No tool fits");
  });

  test("find_tools works as a tool of its own", async () => {
    const registry = new Registry(many);
    const finder = findToolsTool(registry);
    const engine = scriptedEngine([finding("refund a stripe customer"), "done"]);
    const { messages } = await new AgentLoop({ engine, tools: [finder] }).run("go").outcome;
    expect(JSON.stringify(messages)).toContain("stripe_create_refund");
  });

  test("offers by meaning from the first turn with an embedder, and is not held up by one that fails", async () => {
    const likeness = async (texts: string[]) =>
      texts.map((text) => (/cab|thermostat/.test(text) ? [1, 0] : [0, 1]));
    const first = async (embed: (texts: string[]) => Promise<number[][]>, embedTimeout = "1m") => {
      const selection = { initial: 5, embed, embedTimeout };
      const { offered, outcome } = await offeredBy([], { selection }, "a cab");
      expect(outcome.status).toBe("answered");
      return offered[0]?.filter((name) => name.startsWith("smarthome")).length;
    };
    expect(await first(likeness)).toBe(5);
    expect(await first(() => Promise.reject(new Error("no credit")))).toBe(0);
    expect(await first(() => new Promise(() => {}), "20ms")).toBe(0);
  });

  test("a run that is aborted does not wait for the embedder", async () => {
    const loop = new AgentLoop({
      engine: scriptedEngine(["done"]),
      tools: many,
      selection: { embed: () => new Promise(() => {}), embedTimeout: "10m" },
    });
    const run = loop.run("a cab");
    setTimeout(() => run.abort(), 10);
    expect((await run.outcome).status).toBe("aborted");
  });

  test("the options of an embedder are checked", () => {
    const make = (selection: object) => () =>
      new AgentLoop({ engine: scriptedEngine(["done"]), tools: many, selection });
    expect(make({ embed: {} })).toThrow(/^selection\.embed must be an AI SDK embedding model/);
    expect(make({ embed: async () => [], embedTimeout: 0 })).toThrow(
      /^selection\.embedTimeout must be a duration/,
    );
  });
});

test("what a store says of find_tools is what the model is told", async () => {
  const descriptions = new MemoryDescriptionStore();
  descriptions.set("find_tools", "Look for more tools here");
  const spec = { description: "d", input: { type: "object" }, execute: () => 1 } as const;
  const registry = new Registry([tool({ ...spec, name: "first" }), tool({ ...spec, name: "second" })], {
    descriptions,
  });
  const told: string[] = [];
  const engine = scriptedEngine(({ tools }) => {
    told.push(tools.find(({ name }) => name === "find_tools")?.description ?? "");
    return "done";
  });
  for (const tools of [registry, combineSources(registry)])
    await new AgentLoop({ engine, tools, selection: { threshold: 1 } }).run("go").outcome;
  expect(told).toEqual(["Look for more tools here", "Look for more tools here"]);
});
