import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApprovalQueue, budgetGuard, Executor, tool } from "@toolrig/core";
import { afterAll, expect, test } from "vitest";
import { openStore } from "./open-store.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-resumed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process on one file, under a budget of one call a run. */
function process(path: string, ran: string[]) {
  const store = openStore(path);
  const input = { type: "object" } as const;
  const execute = ({ to }: { to?: string }) => `${ran.push(to ?? "")}`;
  const pay = tool({
    name: "pay",
    description: "Pay",
    input,
    approval: ({ to }: { to?: string }) => to !== "bob",
    execute,
  });
  const queue = new ApprovalQueue({ store: store.approvals });
  const executor = new Executor({
    tools: [pay],
    guards: [budgetGuard({ callsPerRun: 1 })],
    approve: queue.approver,
    ledger: store.ledger,
    waits: store.waits,
  });
  const call = (executionId: string, to: string, onWaiting: "return" | "leave" = "return") =>
    executor.call({ id: "c", name: "pay", arguments: { to } }, { runId: "r", executionId, onWaiting });
  const close = async () => {
    await executor.stop();
    store.close();
  };
  return { store, queue, executor, call, close };
}

test("a call that was approved after its process died runs in one whose budget is used up", async () => {
  const [path, ran] = [join(folder, "return.db"), [] as string[]];
  const before = process(path, ran);
  expect((await before.call("exec_1", "ann")).waiting?.kind).toBe("approval");
  await before.close();
  const after = process(path, ran);
  expect((await after.call("exec_2", "bob")).isError).toBe(false);
  await after.queue.approve("exec_1", { by: { id: "boss" } });
  expect((await after.call("exec_1", "ann")).isError).toBe(false);
  // It is over: another call is one too many.
  expect((await after.call("exec_3", "bob")).failure?.code).toBe("TOOL_BUDGET_EXCEEDED");
  expect(ran).toEqual(["bob", "ann"]);
  await after.close();
});

test("a call that was left for an approval runs by itself under a budget of one", async () => {
  const ran: string[] = [];
  const { executor, queue, call, close } = process(join(folder, "leave.db"), ran);
  executor.waits.start();
  expect((await call("exec_1", "ann", "leave")).waiting?.kind).toBe("approval");
  await queue.approve("exec_1", { by: { id: "boss" } });
  await expect.poll(() => ran).toEqual(["ann"]);
  await close();
});
