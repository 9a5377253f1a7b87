import { afterAll, expect, test } from "vitest";
import { Sandbox } from "./sandbox.ts";

const sandbox = new Sandbox({ size: 1, queue: 1, nested: 1 });
afterAll(() => sandbox.close());

const simple = (principal = "ann") => sandbox.run({ code: "return 1", principal });

/** A run that holds its place until it is told to go on. */
function held(principal = "ann") {
  const gate = Promise.withResolvers<void>();
  const there = Promise.withResolvers<void>();
  const outcome = sandbox.run({
    code: "return await tools.wait({})",
    tools: ["wait"],
    principal,
    async onCall() {
      there.resolve();
      await gate.promise;
      return { status: "done", value: "held" };
    },
  });
  return { outcome, there: there.promise, open: () => gate.resolve() };
}

test("a run waits for its place, and one too many is refused", async () => {
  const first = held();
  await first.there;
  const second = simple();
  expect(await simple()).toMatchObject({ status: "limit", limit: "queue" });
  first.open();
  expect(await first.outcome).toMatchObject({ value: "held" });
  expect(await second).toMatchObject({ status: "returned", value: 1 });
});

test("runs of one principal that hold and fill all of its places do not delay those of another", async () => {
  const first = held("eve");
  await first.there;
  const second = simple("eve");
  expect(await simple("eve")).toMatchObject({ status: "limit", limit: "queue" });
  expect(await simple("bob")).toMatchObject({ status: "returned", value: 1 });
  first.open();
  await Promise.all([first.outcome, second]);
});

test("a run within a run does not wait for the place that the outer one holds", async () => {
  const code = "return await tools.deeper({})";
  const runAt = async (left: number): Promise<unknown> => {
    const onCall = async () => ({ status: "done", value: await runAt(left - 1) }) as const;
    const outcome = await sandbox.run({
      principal: "ann",
      code: left === 0 ? "return 1" : code,
      tools: ["deeper"],
      onCall,
    });
    return outcome.status === "returned" ? outcome.value : outcome;
  };
  expect(await Promise.all([runAt(1), runAt(1)])).toEqual([1, 1]);
  expect(await runAt(2)).toMatchObject({
    status: "limit",
    limit: "stack",
    message: expect.stringContaining("more than 1 deep"),
  });
  expect(await simple()).toMatchObject({ status: "returned" });
});

test("a run is cancelled while it computes, while it calls and while it waits for its place", async () => {
  const computing = new AbortController();
  const loop = sandbox.run({
    code: "console.log('in'); await tools.go({}); for (;;);",
    tools: ["go"],
    signal: computing.signal,
    onCall() {
      setTimeout(() => computing.abort(), 20);
      return { status: "done" };
    },
  });
  expect(await loop).toMatchObject({ status: "cancelled" });
  const outer = held();
  await outer.there;
  const queued = new AbortController();
  const waiting = sandbox.run({ code: "return 1", principal: "ann", signal: queued.signal });
  queued.abort();
  expect(await waiting).toMatchObject({ status: "cancelled" });
  outer.open();
  await outer.outcome;
  expect(await simple()).toMatchObject({ status: "returned" });
});

test("what a handler throws is thrown by the run, and the sandbox goes on", async () => {
  const run = sandbox.run({
    code: "try { await tools.go({}) } catch { return 'caught' }",
    tools: ["go"],
    onCall() {
      throw new Error("a mistake of the host");
    },
  });
  await expect(run).rejects.toThrow("a mistake of the host");
  expect(await simple()).toMatchObject({ status: "returned" });
});

test("a listener of the log that rejects does not end the process", async () => {
  const onLog = async () => {
    throw new Error("the log is full");
  };
  const run = sandbox.run({
    code: "console.log(1); await tools.go({})",
    tools: ["go"],
    onLog,
    onCall: () => new Promise(() => {}),
  });
  await expect(run).rejects.toThrow("the log is full");
  expect(await sandbox.run({ code: "console.log(1); return 2", onLog })).toMatchObject({ value: 2 });
});

test("settings are checked", async () => {
  expect(() => new Sandbox({ sise: 1 } as never)).toThrow(/Did you mean "size"/);
  expect(() => new Sandbox({ limits: { result: 10_000_000 } })).toThrow(
    /limits.result must be a whole number from 1 to 500000/,
  );
  await expect(sandbox.run({ code: "", limits: { memory: 2 ** 30 } })).rejects.toThrow(/sandbox's own limit/);
  await expect(sandbox.run({ code: "", globals: { tools: 1 } })).rejects.toThrow(/globals/);
  await expect(sandbox.run({ code: 1 } as never)).rejects.toThrow(/code must be JavaScript text/);
  const wrong: [given: object, message: RegExp][] = [
    [{ tools: ["a", "a"] }, /tools must be a list of different names; got "a"/],
    [{ globals: { undefined: 1 } }, /globals must be named/],
    [{ globals: { a: 1n } }, /globals must be values that JSON can hold/],
    [{ signal: {} }, /signal must be an AbortSignal/],
    [{ boundTo: 5 }, /boundTo must be text/],
    [{ principal: 5 }, /principal must be/],
    [{ onCall: "x" }, /onCall must be/],
    [{ onLog: 5 }, /onLog must be/],
    [{ code: "await tools.a()", tools: ["a"], onCall: () => ({ status: "x" }) }, /status must be/],
  ];
  for (const [given, message] of wrong)
    await expect(sandbox.run({ code: "", ...given } as never)).rejects.toThrow(message);
  const bytes = new Uint8Array();
  await expect(sandbox.resume(bytes, {} as never)).rejects.toThrow(/answers must be/);
  await expect(sandbox.resume(bytes, { answers: [null] } as never)).rejects.toThrow(/answers\[0\] must be/);
  expect(() => new Sandbox({ size: 1e9 })).toThrow(/size must be a whole number from 1 to 1000/);
});

test("a closed sandbox ends its runs and takes no more", async () => {
  const closing = new Sandbox({ size: 1 });
  const run = closing.run({ code: "for (;;);" });
  closing.close();
  expect(await run).toMatchObject({ status: "cancelled" });
  await expect(closing.run({ code: "" })).rejects.toThrow(/closed/);
});
