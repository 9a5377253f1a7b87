import { Executor, MemoryCallStore, Registry, recording, tool } from "@toolrig/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { scriptedEngine } from "../engines/scripted.ts";
import { AgentLoop } from "./loop.ts";
import type { AgentLoopOptions } from "./options.ts";
import { StructuredLoop } from "./structured.ts";

const common = { description: "d", input: { type: "object" }, execute: () => 1 } as const;
const requires = ["network"];
const net = tool({ ...common, name: "fetch_it", safety: { sideEffects: "read", requires } });
const own = tool({ ...common, name: "own" });
const hidden = tool({ ...common, name: "hidden", preference: { enabled: false } });
const tools = [net, own, hidden];

async function offeredTo(options: Partial<AgentLoopOptions>) {
  let offered: string[] = [];
  const engine = scriptedEngine((request) => {
    offered = request.tools.map(({ name }) => name);
    return "x";
  });
  await new AgentLoop({ engine, tools, ...options }).run("fetch it, own, hidden").outcome;
  return offered;
}

describe("a model is offered what the executor would run", () => {
  const store = new MemoryCallStore();
  const given = () => new Executor({ tools, capabilities: [], allow: ["own", "fetch_it"] });
  test.each<[string, () => Partial<AgentLoopOptions>, string[]]>([
    ["all that is enabled", () => ({}), ["fetch_it", "own"]],
    ["within its capabilities", () => ({ executor: { capabilities: [] } }), ["own"]],
    ["with what is granted", () => ({ executor: { capabilities: ["network"] } }), ["fetch_it", "own"]],
    [
      "through search",
      () => ({ executor: { capabilities: [] }, selection: { threshold: 0 } }),
      ["find_tools", "own"],
    ],
    ["of a given one", () => ({ executor: given() }), ["own"]],
    ["of a given one that is recorded", () => ({ executor: recording(given(), store) }), ["own"]],
    ["of a given one that knows fewer", () => ({ executor: new Executor({ tools: [net] }) }), ["fetch_it"]],
    [
      "with other tools for a turn",
      () => ({ executor: { capabilities: [] }, hooks: { prepareTurn: () => ({ tools: [net, own] }) } }),
      ["own"],
    ],
  ])("%s", async (_what, options, names) => {
    expect(await offeredTo(options())).toEqual(names);
  });

  test("as it stands at each turn", async () => {
    const registry = new Registry([own]);
    const executor = new Executor({ tools: registry });
    const offered: number[] = [];
    const engine = scriptedEngine((request, turn) => {
      offered.push(request.tools.length);
      if (turn === 1) registry.add(net);
      return turn === 1 ? { calls: [{ name: "own" }] } : "x";
    });
    await new AgentLoop({ engine, tools, executor }).run("go").outcome;
    expect(offered).toEqual([1, 2]);
  });

  test("in a structured loop", async () => {
    const offered: string[][] = [];
    const engine = scriptedEngine((request, turn) => {
      offered.push(request.tools.map(({ name }) => name));
      return turn === 1 ? "gathered" : "{}";
    });
    await new StructuredLoop({ engine, tools, executor: { capabilities: [] }, schema: z.object({}) }).run(
      "go",
    ).outcome;
    expect(offered[0]).toEqual(["own"]);
  });
});

test("a tool that is not granted is refused all the same when it is called", async () => {
  const engine = scriptedEngine([{ calls: [{ name: "fetch_it" }, { name: "hidden" }] }, "x"]);
  const { messages } = await new AgentLoop({ engine, tools, executor: { capabilities: [] } }).run("go")
    .outcome;
  expect(messages[2]).toMatchObject({ results: [{ isError: true }, { isError: false }] });
  expect(JSON.stringify(messages[2])).toContain("TOOL_UNAVAILABLE");
});
