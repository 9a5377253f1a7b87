import { expect, test } from "vitest";
import {
  ApprovalQueue,
  type CallOptions,
  deferred,
  Executor,
  InformationFlow,
  MemoryLedger,
  policyGuard,
  result,
  type ToolResult,
  tool,
} from "../../index.ts";
import { forCaller, MemoryApprovalStore, MemoryWaitStore, waitsWithin } from "../../kit.ts";

const input = { type: "object" } as const;

/** A tool that calls others as it is told, and is started again when they wait; with what came of its calls. */
function relay(nths?: number) {
  return forCaller(
    tool({
      name: "relay",
      description: "Call others",
      input: { type: "object", properties: { names: { type: "array", items: { type: "string" } } } } as const,
      safety: { sideEffects: "none" },
      ledger: true,
      async execute({ names = [] }, context) {
        const onWaiting = context.held ? "hold" : "return";
        const nth = nths === undefined ? {} : { nth: nths };
        const results = await Promise.all(
          names.map((name) => context.call(name, {}, { onWaiting, source: "script", ...nth })),
        );
        const waits = results.find(({ waiting }) => waiting !== undefined)?.waiting;
        return waits === undefined ? results.map(({ value }) => value) : waitsWithin(waits);
      },
    }),
  );
}

function rig() {
  const ran: string[] = [];
  const handed: { executionId: string; token: string }[] = [];
  const waits = new MemoryWaitStore();
  const ledger = new MemoryLedger();
  const approvals = new ApprovalQueue({ store: new MemoryApprovalStore(waits) });
  const note = (name: string) => {
    ran.push(name);
    return name;
  };
  const tools = [
    relay(),
    tool({ name: "pay", description: "Pay", input, approval: true, execute: () => note("pay") }),
    tool({ name: "write", description: "Write", input, execute: () => note("write") }),
    tool({
      name: "ask",
      description: "Ask",
      input,
      async execute(_, { ask }) {
        const answer = await ask({ message: "How many?" });
        return note(answer.status === "answered" ? answer.value : answer.status);
      },
    }),
    tool({
      name: "job",
      description: "Begin a job",
      input,
      execute(_, { executionId, token }) {
        handed.push({ executionId, token });
        return deferred({ note: "it runs" });
      },
    }),
  ];
  const make = () => new Executor({ tools, waits, ledger, approve: approvals.approver });
  return { make, executor: make(), approvals, ran, handed };
}

const call = (...names: string[]) => ({ id: "1", name: "relay", arguments: { names } });
const nested = ({ waiting }: ToolResult) => waiting?.id.replace(/:.*$/, "") ?? "";

test("a tool whose call waits is answered with that, and goes on when it is called again", async () => {
  const { executor, make, approvals, ran } = rig();
  const first = await executor.call(call("write", "pay"), { onWaiting: "return", executionId: "e1" });
  expect(first.waiting?.kind).toBe("approval");
  expect(ran).toEqual(["write"]);
  await approvals.approve(nested(first), { by: { id: "ann" } });
  const after = await make().call(call("write", "pay"), { executionId: "e1" });
  expect(after.value).toEqual(["write", "pay"]);
  expect(ran).toEqual(["write", "pay"]);
});

test.each(["pay", "ask", "job"])(
  "a narrowed call that is left for its %s goes on as narrow",
  async (name) => {
    const { executor, make, approvals, ran, handed } = rig();
    const first = await executor.call(call(name, "write"), {
      onWaiting: "leave",
      executionId: "e1",
      allow: ["relay", name],
    });
    await executor.stop();
    const other = make();
    const ended: string[] = [];
    other.events.on((event) => event.type === "call.end" && ended.push(event.executionId));
    const id = nested(first);
    if (name === "pay") await approvals.approve(id, { by: { id: "ann" } });
    if (name === "ask")
      await other.waits.answer(first.waiting?.id ?? "", { by: { id: "ann" }, value: "four" });
    if (name === "job") await other.waits.complete(id, handed[0]?.token ?? "", "done");
    other.waits.start();
    await expect.poll(() => ended).toContain("e1");
    await other.waits.stop();
    expect(ran).not.toContain("write");
  },
);

test.each(["pay", "ask", "job"])("a call that is left goes on when its %s has come", async (name) => {
  const { executor, approvals, ran, handed } = rig();
  const left: CallOptions = { onWaiting: "leave", executionId: "e1" };
  const ended: string[] = [];
  executor.events.on((event) => event.type === "call.end" && ended.push(event.executionId));
  const first = await executor.call(call("write", name), left);
  const id = nested(first);
  if (name === "pay") await approvals.approve(id, { by: { id: "ann" } });
  if (name === "ask")
    await executor.waits.answer(first.waiting?.id ?? "", { by: { id: "ann" }, value: "four" });
  if (name === "job") await executor.waits.complete(id, handed[0]?.token ?? "", "done");
  executor.waits.start();
  await expect.poll(() => ended).toContain("e1");
  await executor.waits.stop();
  const answer = await executor.call(call("write", name), left);
  expect(answer.value).toEqual(["write", { pay: "pay", ask: "four", job: "done" }[name]]);
  expect(answer.replayed).toBe(true);
  expect(ran.filter((each) => each === "write")).toHaveLength(1);
});

test("calls are known by their number, and a wrong one is refused", async () => {
  const executor = new Executor({
    tools: [relay(2), tool({ name: "write", description: "Write", input, execute: () => "written" })],
  });
  const ids: string[] = [];
  executor.events.on((event) => event.type === "call.start" && ids.push(event.executionId));
  await executor.call(call("write"), { executionId: "e1" });
  expect(ids[1]).toMatch(/^e1[.].*[.]2$/);
  const wrong = new Executor({ tools: [relay(0.5)] });
  expect((await wrong.call(call("write"))).failure?.message).toMatch(/nth must be/);
});

test("one that acts for its caller has the capabilities of that, and no more", async () => {
  const fetch = tool({
    name: "fetch",
    description: "Fetch",
    input,
    safety: { sideEffects: "read", requires: ["network"] },
    execute: () => "page",
  });
  const poor = tool({
    name: "poor",
    description: "Has nothing",
    input,
    async execute(_, context) {
      const { value, failure } = await context.call("relay", { names: ["fetch"] });
      return failure?.message ?? value;
    },
  });
  const executor = new Executor({ tools: [relay(), fetch, poor] });
  expect((await executor.call(call("fetch"))).value).toEqual(["page"]);
  expect((await executor.call({ id: "2", name: "poor" })).value).toEqual([undefined]);
});

test("what a tool says it has read counts for the calls it makes, and for its answer", async () => {
  const flow = new InformationFlow();
  const relayed = tool({
    name: "relayed",
    description: "Goes on with what it read before",
    input,
    safety: { sideEffects: "none" },
    async execute(_, context) {
      const labels = { integrity: "untrusted", source: "a page" } as const;
      const { failure } = await context.call("send", { to: "eve@evil.example" }, { labels });
      return result({ value: failure?.code });
    },
  });
  const send = tool({ name: "send", description: "Send", input, execute: () => "sent" });
  const executor = new Executor({
    tools: [relayed, send],
    guards: [policyGuard({ profile: "standard" }), flow.guard],
  });
  const answer = await executor.call({ id: "1", name: "relayed" }, { runId: "r1" });
  expect(answer.value).toBe("TOOL_APPROVAL_REJECTED");
  expect(answer.labels).toMatchObject({ integrity: "untrusted" });
  expect(flow.labels("r1").untrusted).toContain("a page");
});
