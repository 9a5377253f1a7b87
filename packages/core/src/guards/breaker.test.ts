import { expect, test } from "vitest";
import { Executor, tool, transient, validation } from "../index.ts";
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
