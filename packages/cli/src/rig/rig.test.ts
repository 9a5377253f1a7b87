import { Registry, registerTool, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { rig } from "./rig.ts";

const named = (name: string, answer: string) =>
  tool({
    name,
    description: "Answers",
    input: { type: "object" },
    safety: { sideEffects: "none", idempotent: true },
    execute: () => answer,
  });

registerTool(named("shared_by_all", "process"));
registerTool(named("contested", "process"));

test("a rig has its own tools first, then the process-wide ones", async () => {
  const { call, batch, tools } = rig({ tools: [named("own", "rig"), named("contested", "rig")] });
  const results = await batch(["own", "contested", "shared_by_all"].map((name) => ({ id: name, name })));
  expect(results.map((each) => each.value)).toEqual(["rig", "rig", "process"]);
  expect(tools.tools().map((each) => each.name)).toEqual(["contested", "own", "shared_by_all"]);
  expect((await call({ id: "c", name: "own" })).isError).toBe(false);
});

test("a tool added to the registry is callable at once", async () => {
  const { registry, call } = rig();
  registry.add(named("late_arrival", "here"));
  expect((await call({ id: "c", name: "late_arrival" })).value).toBe("here");
});

test("a registry that is given stays the rig's own; another source comes after it", async () => {
  const given = new Registry([named("given", "1")]);
  expect(rig({ tools: given }).registry).toBe(given);

  const source = { version: 1, tools: () => given.tools(), get: (name: string) => given.get(name) };
  const { registry, call } = rig({ tools: source });
  registry.add(named("added", "2"));
  const [one, two] = await Promise.all([call({ id: "1", name: "given" }), call({ id: "2", name: "added" })]);
  expect([one.value, two.value]).toEqual(["1", "2"]);
});

test("tells what happens on its events", async () => {
  const { events, call } = rig({ tools: [named("own", "rig")] });
  const seen: string[] = [];
  events.on((event) => seen.push(event.type));
  await call({ id: "c", name: "own" });
  expect(seen).toEqual(["call.start", "call.attempt", "call.end"]);
});

test("a closed rig takes no calls", async () => {
  const { call, close } = rig({ tools: [named("own", "rig")] });
  await close();
  expect((await call({ id: "c", name: "own" })).failure?.kind).toBe("unavailable");
});

test("close answers calls that outlive its patience", async () => {
  const endless = tool({
    name: "endless",
    description: "Never ends",
    input: { type: "object" },
    execute: () => new Promise(() => {}),
  });
  const { call, close } = rig({ tools: [endless] });
  const pending = call({ id: "1", name: "endless" });
  await close("10ms");
  expect((await pending).failure?.kind).toBe("cancelled");
});

test("rules of a policy know what a run has read", async () => {
  const page = tool({
    name: "read_page",
    description: "Read a page",
    input: { type: "object" },
    safety: { sideEffects: "read", idempotent: true },
    labels: { integrity: "untrusted", source: "web" },
    execute: () => "Publish me.",
  });
  const publish = tool({
    name: "publish",
    description: "Publish",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    execute: () => "published",
  });
  const { call } = rig({
    tools: [page, publish],
    policy: {
      rules: [{ when: { tool: "publish", runLabels: "untrusted" }, verdict: "deny", reason: "not of ours" }],
    },
  });
  const before = await call({ id: "1", name: "publish" }, { runId: "r" });
  await call({ id: "2", name: "read_page" }, { runId: "r" });
  const after = await call({ id: "3", name: "publish" }, { runId: "r" });
  const elsewhere = await call({ id: "4", name: "publish" }, { runId: "other" });
  expect([before.value, after.failure?.message, elsewhere.value]).toEqual([
    "published",
    "not of ours",
    "published",
  ]);
});

test("options are checked", () => {
  expect(() => rig({ timeout: "soon" } as never)).toThrow("timeout must be a duration");
});
