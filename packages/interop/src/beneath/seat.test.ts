import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ApprovalQueue, Executor, InformationFlow, MemoryCallStore, MemoryLedger, tool } from "@toolrig/core";
import { expect, test, vi } from "vitest";
import { Seat } from "./seat.ts";

const input = { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const;

function mailRig(ledger = new MemoryLedger()) {
  const sent: string[] = [];
  const send = tool({
    name: "send",
    description: "Send a mail",
    input,
    approval: ({ to }) => to === "boss",
    execute({ to }, { update }) {
      update({ content: "connecting" });
      sent.push(String(to));
      return "sent";
    },
  });
  const store = new MemoryCallStore();
  const approvals = new ApprovalQueue();
  const executor = new Executor({ tools: [send], store, ledger, approve: approvals.approver });
  return { sent, store, executor, approvals };
}

const call = (to: string, id = "call_1") => ({ id, name: "send", arguments: JSON.stringify({ to }) });

test("a call that is made again in the same run is not run again, in whichever process", async () => {
  const ledger = new MemoryLedger();
  const before = mailRig(ledger);
  await new Seat(before, "run_1").call(call("ann"));
  const after = mailRig(ledger);
  const again = await new Seat(after, "run_1").call(call("ann"));
  expect([before.sent, after.sent, again.replayed, again.value]).toEqual([["ann"], [], true, "sent"]);
  await new Seat(after, "run_2").call(call("ann"));
  expect(after.sent).toEqual(["ann"]);
});

test("a provider that repeats ids makes other calls by other arguments", async () => {
  const { sent, ...rig } = mailRig();
  const seat = new Seat(rig, "run_1");
  for (const to of ["ann", "bob", "ann"]) await seat.call(call(to));
  expect(sent).toEqual(["ann", "bob"]);
});

test("a call that is made for somebody else is another call", async () => {
  const { sent, ...rig } = mailRig();
  const run = (id: string) => new Seat(rig, { runId: "r", principal: { id } });
  const made = [
    await run("ada").call(call("ann", "x")),
    await run("bob").call(call("ann", "x")),
    await run("ada").call({ ...call("ann", "x"), turn: 1 }),
    await run("1").call(call("ann", "x")),
    await new Seat(rig, "r").call(call("ann", "x")),
    await new Seat(rig, "r").call(call("ann", "x@@ada")),
  ];
  expect(made.map(({ value, replayed }) => [value, replayed])).toEqual(made.map(() => ["sent", undefined]));
  expect(sent).toHaveLength(made.length);
  expect((await run("ada").call(call("ann", "x"))).replayed).toBe(true);
});

test("what a tool tells while it runs comes to whoever made the call", async () => {
  const seat = new Seat(mailRig().executor);
  const told: unknown[] = [];
  await seat.call({ ...call("ann"), onProgress: (update) => told.push(update) });
  expect(told).toEqual([{ content: "connecting" }]);
});

test("a call that nobody has to approve stops before it runs, and goes on when its peer comes", async () => {
  const { sent, ...rig } = mailRig();
  const seat = new Seat(rig);
  expect(await seat.begin(call("ann"))).toBeUndefined();
  expect(sent).toEqual([]);
  expect((await seat.call(call("ann"))).value).toBe("sent");
  expect(sent).toEqual(["ann"]);
});

test("one that its peer never comes for is recorded as cancelled", async () => {
  const { sent, store, ...rig } = mailRig();
  const seat = new Seat(rig);
  await seat.begin(call("ann"));
  seat.end();
  await expect.poll(() => store.records().length).toBe(1);
  expect(store.records()[0]?.result.failure?.code).toBe("TOOL_CANCELLED");
  expect(sent).toEqual([]);
});

test.each([
  [{ approved: true }, ["boss"], undefined],
  [{ approved: true, args: { to: "ann" } }, ["ann"], undefined],
  [{ approved: false, reason: "not now" }, [], "TOOL_APPROVAL_REJECTED"],
])("an answer %j of a peer's people counts like one in the inbox", async (answer, ran, code) => {
  const { sent, ...rig } = mailRig();
  const seat = new Seat(rig, { runId: "run_1", principal: { id: "ada" } });
  expect((await seat.begin(call("boss")))?.kind).toBe("approval");
  // Another process goes on with it.
  const later = new Seat(rig, { runId: "run_1", principal: { id: "ada" } });
  await later.answer(call("boss"), { by: { id: "peer" }, ...answer });
  expect((await later.call(call("boss"))).failure?.code).toBe(code);
  expect(sent).toEqual(ran);
});

test("calls whose ids hold what ids are joined by are calls of their own", async () => {
  const { sent, ...rig } = mailRig();
  const made = [
    { run: "a", call: call("ann", "b/c") },
    { run: "a/b", call: call("ann", "c") },
    { run: "a", call: { ...call("ann", "x"), turn: 1 } },
    { run: "a", call: call("ann", "1/x") },
    { run: "a", call: call("ann", "x@1") },
    { run: "a/1", call: call("ann", "x") },
    { run: "a", call: call("ann", "x%401") },
  ];
  for (const each of made) expect((await new Seat(rig, each.run).call(each.call)).value).toBe("sent");
  expect(sent).toHaveLength(made.length);
  const seat = new Seat(rig, "r");
  for (const [to, id] of [
    ["ann", "c"],
    ["bob", "c"],
    ["cyd", "c#2"],
  ] as const)
    expect((await seat.call(call(to, id))).value).toBe("sent");
  expect(sent.slice(made.length)).toEqual(["ann", "bob", "cyd"]);
});

test("a run that nobody can go on with is forgotten, one that has a name is not", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const page = tool({
    name: "page",
    description: "A page",
    input: { type: "object" },
    labels: { integrity: "untrusted" },
    execute: () => "text",
  });
  const flow = new InformationFlow();
  const executor = new Executor({ tools: [page], guards: [flow.guard] });
  const forgotten = vi.spyOn(executor, "forget");
  const read = async (run?: string) => {
    const seat = new Seat(executor, run);
    await seat.as({ ...(run !== undefined && { runId: run }), principal: { id: "ada" } }).call({
      id: "1",
      name: "page",
      arguments: {},
    });
    return seat.runId;
  };
  const [nameless, named] = [await read(), await read("named")];
  const collected = () => {
    collect();
    return forgotten.mock.calls.flat();
  };
  await expect.poll(collected).toContain(nameless);
  expect(flow.labels(nameless).untrusted).toEqual([]);
  expect([flow.labels(named).untrusted.length, forgotten.mock.calls.length]).toEqual([1, 1]);
});

test("a guard's stop holds back the calls of the same response that a peer makes at once or later", async () => {
  const ran: string[] = [];
  const tools = ["one", "two", "three"].map((name) =>
    tool({ name, description: name, input: { type: "object" }, execute: () => void ran.push(name) }),
  );
  const guard = {
    name: "stops",
    async before({ tool: { name } }: { tool: { name: string } }) {
      if (name !== "one") return undefined;
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { verdict: "stop" as const, reason: "enough" };
    },
  };
  const executor = new Executor({ tools, guards: [guard] });
  for (const within of [{}, "response_1"]) {
    const seat = new Seat(executor, "run_1");
    const make = (name: string) => seat.call({ id: name, name, arguments: {}, within });
    const results = await Promise.all([make("one"), make("two")]);
    results.push(await make("three"));
    expect(results.map(({ failure, stop }) => [failure?.code, stop])).toEqual(
      results.map(() => ["TOOL_BLOCKED", "enough"]),
    );
    expect(ran).toEqual([]);
    // Another response of the same run is another batch.
    expect((await seat.call({ id: "next", name: "two", arguments: {}, within: {} })).isError).toBe(false);
    ran.length = 0;
  }
  const unnamed = new Seat(executor, "run_2");
  const [, second] = await Promise.all(
    ["one", "two"].map((name) => unnamed.call({ id: name, name, arguments: {} })),
  );
  expect([second?.failure?.code, ran]).toEqual(["TOOL_BLOCKED", []]);
});
