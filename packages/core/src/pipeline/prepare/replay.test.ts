import { expect, test } from "vitest";
import { Executor, MemoryLedger, tool } from "../../index.ts";

test("an execution that is over is answered without asking anybody again", async () => {
  let [asked, ran] = [0, 0];
  const pay = tool({
    name: "pay",
    description: "Pay",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    approval: true,
    execute: () => {
      ran += 1;
      return "paid";
    },
  });
  const ledger = new MemoryLedger();
  const answers = [true, false];
  const start = () =>
    new Executor({
      tools: [pay],
      ledger,
      approve: () => {
        asked += 1;
        return { approved: answers.shift()! };
      },
    });
  const call = { id: "c", name: "pay", arguments: { amount: 5 } };
  await start().call(call, { executionId: "exec_1" });
  const again = await start().call(call, { executionId: "exec_1" });
  expect([again.value, again.attempts, asked, ran]).toEqual(["paid", 0, 1, 1]);
  const other = await start().call({ ...call, arguments: { amount: 6 } }, { executionId: "exec_1" });
  expect([other.isError, asked, ran]).toEqual([true, 2, 1]);
});

test("a rule made since does not deny what has happened", async () => {
  const ledger = new MemoryLedger();
  const send = tool({ name: "send", description: "Send", input: { type: "object" }, execute: () => "sent" });
  const call = { id: "c", name: "send", arguments: {} };
  await new Executor({ tools: [send], ledger }).call(call, { executionId: "exec_1" });
  const deny = { name: "no", before: () => ({ verdict: "deny" as const, reason: "no more" }) };
  const later = new Executor({ tools: [send], ledger, guards: [deny] });
  expect((await later.call(call, { executionId: "exec_1" })).value).toBe("sent");
  expect((await later.call(call, { executionId: "exec_2" })).isError).toBe(true);
});

test("a ledger that fails leaves it to the guards", async () => {
  const ledger = Object.assign(new MemoryLedger(), {
    get: () => {
      throw new Error("broken");
    },
  });
  const send = tool({ name: "send", description: "Send", input: { type: "object" }, execute: () => "sent" });
  const executor = new Executor({ tools: [send], ledger });
  const { value } = await executor.call({ id: "c", name: "send", arguments: {} }, { executionId: "e" });
  expect(value).toBe("sent");
});
