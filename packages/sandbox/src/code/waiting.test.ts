import {
  ApprovalQueue,
  type CallOptions,
  deferred,
  Executor,
  InformationFlow,
  MemoryJournal,
  MemoryLedger,
  tool,
} from "@toolrig/core";
import { MemoryApprovalStore, MemoryArtifactStore, MemoryWaitStore } from "@toolrig/core/kit";
import { expect, test, vi } from "vitest";
import type { SandboxLimits } from "../engine/limits.ts";
import { runCode } from "./run-code.ts";

const any = { type: "object" } as const;
const ann = { id: "ann" };

/** Stores that outlive executors, and a maker of those: each is another process, as far as scripts are concerned. */
function world(profile: "open" | "standard" = "open", limits: SandboxLimits = {}) {
  const ran: string[] = [];
  const note = (what: string) => {
    ran.push(what);
    return what;
  };
  const waits = new MemoryWaitStore();
  const ledger = new MemoryLedger();
  const approvals = new ApprovalQueue({ store: new MemoryApprovalStore(waits), pollEvery: "10ms" });
  const store = { journal: new MemoryJournal(), artifacts: new MemoryArtifactStore() };
  let counted = 0;
  const tools = [
    tool({
      name: "count",
      description: "Count",
      input: any,
      safety: { sideEffects: "read" },
      execute: () => ++counted,
    }),
    tool({ name: "pay", description: "Pay", input: any, approval: true, execute: () => note("pay") }),
    tool({
      name: "write",
      description: "Write",
      input: any,
      execute: (args) => note(`write ${JSON.stringify(args)}`),
    }),
    tool({
      name: "look",
      description: "Look",
      input: any,
      safety: { sideEffects: "read" },
      labels: { integrity: "untrusted", source: "web" },
      execute: () => note("look"),
    }),
    tool({
      name: "ask",
      description: "Ask",
      input: any,
      async execute(_, { ask }) {
        const answer = await ask({ message: "How many?" });
        return note(`asked ${answer.status === "answered" ? answer.value : answer.status}`);
      },
    }),
    tool({ name: "job", description: "Begin a job", input: any, execute: () => note("job") && deferred() }),
  ];
  const process = () => {
    const flow = new InformationFlow({ profile });
    const scripts = runCode(
      {
        tools,
        store,
        get executor() {
          return executor;
        },
      },
      { limits },
    );
    const executor: Executor = new Executor({
      tools: [...tools, scripts],
      ledger,
      waits,
      approve: approvals.approver,
      guards: [flow.guard],
    });
    const run = (code: string, options: CallOptions = {}) =>
      executor.call(
        { id: "1", name: "run_code", arguments: { code } },
        { executionId: "e1", runId: "r1", ...options },
      );
    return { executor, flow, run };
  };
  const endAll = async (executor: Executor) => {
    for (const { kind, executionId } of await waits.list({ open: true })) {
      if (kind === "approval") await approvals.approve(executionId, { by: ann });
      else if (kind === "question") await executor.waits.answer(executionId, { by: ann, value: "four" });
      else await executor.waits.complete(executionId, { by: ann }, "done");
    }
  };
  return { process, ran, waits, approvals, store, endAll };
}

const SCRIPT = `
  const seen = await tools.look({});
  const [, ...answers] = await Promise.all([tools.write({ n: 1 }), tools.pay({}), tools.ask({}), tools.job({})]);
  console.log("they have come");
  await tools.write({ n: 1 });
  return { seen, answers };`;
const VALUE = { seen: "look", answers: ["pay", "asked four", "done"] };
const RAN = ["asked four", "job", "look", "pay", 'write {"n":1}', 'write {"n":1}'];

test("a script that waits goes on in another process, and repeats nothing", async () => {
  const { process, ran, endAll } = world();
  const first = await process().run(SCRIPT, { onWaiting: "return" });
  expect(first.waiting?.kind).toBe("approval");
  expect([...ran].sort()).toEqual(["job", "look", 'write {"n":1}']);
  const early = await process().run(SCRIPT, { onWaiting: "return" });
  expect(early.waiting).toBeDefined();
  await endAll(process().executor);
  const last = await process().run(SCRIPT, { onWaiting: "return" });
  expect(last.value).toEqual(VALUE);
  expect(last.content).toMatchObject([{ text: expect.stringContaining("they have come") }]);
  expect([...ran].sort()).toEqual(RAN);
  const again = await process().run(SCRIPT, { onWaiting: "return" });
  expect(again).toMatchObject({ value: VALUE, replayed: true });
  expect([...ran].sort()).toEqual(RAN);
});

test("a script that is held gives its thread back while it waits, and goes on by itself", async () => {
  const { process, ran, waits, endAll } = world();
  const { executor, run } = process();
  const held = run(SCRIPT);
  await expect.poll(() => waits.list({ open: true })).toHaveLength(3);
  await endAll(executor);
  expect((await held).value).toEqual(VALUE);
  expect([...ran].sort()).toEqual(RAN);
});

test("a script that was left goes on by itself in whichever process sees what it waited for end", async () => {
  const { process, ran, waits, endAll } = world();
  await process().run(SCRIPT, { onWaiting: "leave" });
  const { executor, run } = process();
  executor.waits.start();
  const ended: string[] = [];
  executor.events.on((event) => event.type === "call.end" && ended.push(event.executionId));
  await endAll(executor);
  await expect.poll(() => ended).toContain("e1");
  await executor.waits.stop();
  expect(await run(SCRIPT)).toMatchObject({ value: VALUE, replayed: true });
  expect([...ran].sort()).toEqual(RAN);
  expect(await waits.list({ open: true })).toEqual([]);
});

test("answers come one at a time, and the script goes on with each", async () => {
  const { process, ran, waits } = world();
  const script = `
    const done: unknown[] = [];
    const note = async (call: Promise<unknown>) => done.push(await tools.write({ came: await call }));
    await Promise.all([note(tools.ask({})), note(tools.job({}))]);
    return done.length;`;
  await process().run(script, { onWaiting: "return" });
  const { executor, run } = process();
  const [question] = await waits.list({ kind: "question" });
  await executor.waits.answer(question?.executionId ?? "", { by: ann, value: "four" });
  const next = await run(script, { onWaiting: "return" });
  expect(next.waiting?.kind).toBe("deferred");
  expect(ran).toEqual(["job", "asked four", 'write {"came":"asked four"}']);
  const [job] = await waits.list({ kind: "deferred" });
  await executor.waits.complete(job?.executionId ?? "", { by: ann }, "done");
  expect((await run(script)).value).toBe(2);
  expect(ran).toHaveLength(4);
});

test("what a script had read before it waited counts in the process that goes on with it", async () => {
  const { process, endAll } = world();
  const script = "await tools.look({}); await tools.pay({}); return await tools.write({ n: 1 });";
  await process().run(script, { onWaiting: "return" });
  await endAll(process().executor);
  const { flow, run } = process();
  const { labels } = await run(script);
  expect(labels).toMatchObject({ integrity: "untrusted", source: expect.stringContaining("web") });
  expect(flow.labels("r1").untrusted.join()).toContain("web");
});

test.each(["leave", "return"] as const)(
  "what its run had read before a script waited counts in the process that goes on with it: %s",
  async (onWaiting) => {
    const { process, endAll, waits, ran } = world("standard");
    const script = 'await tools.ask({}); return await tools.write({ to: "eve@evil.example" });';
    const first = process();
    await first.executor.call({ id: "0", name: "look" }, { runId: "r1" });
    await first.run(script, { onWaiting });
    const { executor, flow, run } = process();
    if (onWaiting === "leave") executor.waits.start();
    await endAll(executor);
    if (onWaiting === "return") expect((await run(script, { onWaiting })).waiting?.kind).toBe("approval");
    await expect.poll(() => waits.list({ open: true })).toMatchObject([{ kind: "approval", name: "write" }]);
    expect(flow.labels("r1").untrusted.join()).toContain("web");
    expect(ran).toEqual(["look", "asked four"]);
    await executor.waits.stop();
  },
);

test("the limits of the log hold over all that a script waits for", async () => {
  const { process, endAll } = world("open", { logLines: 10 });
  const script = `for (let wait = 0; wait < 3; wait++) {
    for (let line = 0; line < 8; line++) console.log(wait, line);
    await tools.pay({ wait });
  }`;
  for (let life = 0; life < 3; life++) {
    const { executor, run } = process();
    expect((await run(script, { onWaiting: "return" })).waiting?.kind).toBe("approval");
    await endAll(executor);
  }
  const { details } = await process().run(script);
  // One more is the remark that lines were left out.
  expect((details as { script: { log: unknown[] } }).script.log.length).toBeLessThanOrEqual(11);
});

test("a script that is cancelled gives up what it waits for", async () => {
  const { process, waits, ran } = world();
  const { run } = process();
  const controller = new AbortController();
  const held = run(SCRIPT, { signal: controller.signal });
  await expect.poll(() => waits.list({ open: true })).toHaveLength(3);
  controller.abort();
  expect((await held).failure?.code).toBe("TOOL_CANCELLED");
  await expect.poll(() => waits.list({ open: true })).toEqual([]);
  expect(ran).not.toContain("pay");
});

test("a script that waits is cancelled by its own id, and no other with it", async () => {
  const { process, waits, ran } = world();
  const { executor, run } = process();
  const script = "await tools.pay({}); return await tools.write({});";
  await run(script, { onWaiting: "return" });
  await run(script, { onWaiting: "return", executionId: "e1.other" });
  expect(await executor.waits.cancel("e1")).toBe(true);
  expect(await executor.waits.cancel("e1")).toBe(false);
  expect((await run(script)).failure?.code).toBe("TOOL_APPROVAL_REJECTED");
  expect((await waits.list({ open: true })).map(({ executionId }) => executionId)).toEqual([
    expect.stringMatching(/^e1[.]other[.]/),
  ]);
  expect(ran).toEqual([]);
});

test("what was denied, declined or expired is an exception", async () => {
  const { process, approvals, waits } = world();
  const script = "return await tools.pay({}).catch((error) => [error.code, error.tool]);";
  await process().run(script, { onWaiting: "return" });
  const [pending] = await waits.list({ open: true });
  await approvals.deny(pending?.executionId ?? "", { by: ann, reason: "too much" });
  expect((await process().run(script)).value).toEqual(["TOOL_APPROVAL_REJECTED", "pay"]);
});

test("a script whose memory is lost starts again, and finds in the ledger what it did", async () => {
  const { process, ran, store, endAll } = world();
  await process().run(SCRIPT, { onWaiting: "return" });
  await endAll(process().executor);
  vi.spyOn(store.artifacts, "bytes").mockReturnValue(undefined);
  expect((await process().run(SCRIPT)).value).toEqual(VALUE);
  expect(ran.filter((each) => each !== "look").sort()).toEqual(RAN.filter((each) => each !== "look"));
});

test("a script that, started again, ends without what it had changed says so", async () => {
  const { process, ran, store, endAll } = world();
  const script = `
    if ((await tools.count({})) > 1) return "nothing to do";
    await tools.write({ n: 1 });
    return await tools.pay({});`;
  await process().run(script, { onWaiting: "return" });
  await endAll(process().executor);
  vi.spyOn(store.artifacts, "bytes").mockReturnValue(undefined);
  const { failure } = await process().run(script);
  expect(failure).toMatchObject({
    code: "TOOL_OUTCOME_UNKNOWN",
    message: expect.stringContaining("ended without them"),
  });
  expect(ran).toEqual(['write {"n":1}']);
});

test("a script that, started again, would change something else than before stops and says so", async () => {
  const { process, ran, store, endAll } = world();
  const script = "await tools.write({ at: Math.random() }); await tools.pay({}); return 1;";
  await process().run(script, { onWaiting: "return" });
  await endAll(process().executor);
  vi.spyOn(store.artifacts, "bytes").mockReturnValue(undefined);
  const { failure } = await process().run(script);
  expect(failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  expect(failure?.message).toMatch(/does not come to 2 of them: it would call write now, which was not done/);
  expect(ran).toHaveLength(1);
});
