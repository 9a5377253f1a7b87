import { expect, test } from "vitest";
import { Executor, tool, transient, validation } from "../../index.ts";
import { breakerGuard } from "./breaker.ts";

function rig(answers: (() => unknown)[]) {
  const clock = { now: 0 };
  let ran = 0;
  const flaky = tool({
    name: "flaky",
    description: "Flaky",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    execute: () => (answers[ran++] ?? (() => "fine"))(),
  });
  const guard = breakerGuard({ failures: 2, cooldown: "10s", now: () => clock.now });
  const executor = new Executor({ tools: [flaky], guards: [guard] });
  const call = async () =>
    (await executor.call({ id: "c", name: "flaky", arguments: {} })).failure?.code ?? "ok";
  return { call, clock, ran: () => ran };
}

const down = () => transient("down");

test("a tool that keeps failing is not called until it has cooled down, then tried once", async () => {
  const { call, clock, ran } = rig([down, down, down]);
  expect([await call(), await call(), await call()]).toEqual([
    "TOOL_TRANSIENT",
    "TOOL_TRANSIENT",
    "TOOL_UNAVAILABLE",
  ]);
  expect(ran()).toBe(2);
  clock.now = 10_000;
  expect(await call()).toBe("TOOL_TRANSIENT");
  expect(await call()).toBe("TOOL_UNAVAILABLE");
  clock.now = 20_000;
  expect([await call(), await call()]).toEqual(["ok", "ok"]);
});

test("while the probe runs, other calls are refused", async () => {
  let release = () => {};
  const slow = () =>
    new Promise((resolve) => {
      release = () => resolve("up again");
    });
  const { call, clock } = rig([down, down, slow]);
  await call();
  await call();
  clock.now = 10_000;
  const probe = call();
  expect(await call()).toBe("TOOL_UNAVAILABLE");
  release();
  expect(await probe).toBe("ok");
  expect(await call()).toBe("ok");
});

test("what the model did wrong does not open the circuit", async () => {
  const wrong = () => validation("no such city");
  const { call } = rig([wrong, wrong, wrong]);
  expect([await call(), await call(), await call(), await call()]).toEqual([
    "TOOL_EXECUTION_FAILED",
    "TOOL_EXECUTION_FAILED",
    "TOOL_EXECUTION_FAILED",
    "ok",
  ]);
});

test("a probe that is cancelled leaves the circuit open, and the next call tries", async () => {
  const clock = { now: 0 };
  let answer: () => unknown = () => transient("down");
  const flaky = tool({
    name: "flaky",
    description: "Flaky",
    input: { type: "object" },
    execute: () => answer(),
  });
  const guard = breakerGuard({ failures: 1, cooldown: "10s", now: () => clock.now });
  const executor = new Executor({ tools: [flaky], guards: [guard] });
  const call = (signal?: AbortSignal) =>
    executor.call({ id: "c", name: "flaky", arguments: {} }, signal === undefined ? {} : { signal });
  await call();
  clock.now = 10_000;
  answer = () => new Promise(() => {});
  const controller = new AbortController();
  const probe = call(controller.signal);
  controller.abort();
  expect((await probe).failure?.kind).toBe("cancelled");
  answer = () => transient("still down");
  expect((await call()).failure?.code).toBe("TOOL_TRANSIENT");
  expect((await call()).failure?.code).toBe("TOOL_UNAVAILABLE");
});

test("a probe that never ends does not keep the circuit open for ever", async () => {
  const { call, clock } = rig([down, down, () => new Promise(() => {})]);
  await call();
  await call();
  clock.now = 10_000;
  void call();
  expect(await call()).toBe("TOOL_UNAVAILABLE");
  clock.now = 20_000;
  expect(await call()).toBe("ok");
});

test("options are checked", () => {
  expect(() => breakerGuard({ failures: 0 })).toThrow(/failures must be a whole number of at least 1; got 0/);
});
