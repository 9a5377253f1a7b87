import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, ApprovalQueue, Executor, tool } from "@toolrig/core";
import { approvedNotRunning } from "@toolrig/core/kit";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openStore } from "./open-store.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-approved-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const boss = { id: "boss" };
const SOON = 10_000;
/** A clock by which the time that a living process has to start an approved call is over. */
const later = {
  now: () => Date.now() + SOON,
  set: (callback: () => void, ms: number) => setTimeout(callback, ms),
  clear: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
};

/** One process on a file. */
function start(path: string, ran: unknown[], others: readonly AnyTool[] = []) {
  const store = openStore(path);
  const queue = new ApprovalQueue({ store: store.approvals });
  const pay = tool({
    name: "pay",
    description: "Pay",
    // Arguments that a schema changes cannot be given to it twice.
    input: z.object({ dollars: z.number().transform((dollars) => dollars * 100) }),
    approval: true,
    execute: ({ dollars }, { principal }) => `${ran.push([dollars, principal?.id])}`,
  });
  const look = tool({
    name: "look",
    description: "Look",
    input: { type: "object" },
    approval: true,
    safety: { sideEffects: "read" },
    execute: () => `${ran.push("look")}`,
  });
  const { ledger, waits, records } = store;
  const executor = new Executor({
    tools: [pay, look, ...others],
    approve: queue.approver,
    ledger,
    waits,
    store: records,
    clock: later,
  });
  const stranded = async () =>
    (await approvedNotRunning(waits, Date.now() + SOON)).map(({ executionId }) => executionId);
  const close = async () => {
    await executor.stop();
    store.close();
  };
  return { store, queue, executor, stranded, close };
}

async function ask(path: string, executionId: string, name: string, args: object): Promise<void> {
  const { executor, close } = start(path, []);
  const call = { id: "c", name, arguments: args };
  const options = { executionId, principal: { id: "ann" }, runId: "r", onWaiting: "return" } as const;
  expect((await executor.call(call, options)).waiting?.kind).toBe("approval");
  await close();
}

describe("a call that is approved after its process died", () => {
  test.each([
    ["pay", { dollars: 5 }, [500, "ann"]],
    ["look", {}, "look"],
  ])("%s is listed until it runs, once and as it was made", async (name, args, did) => {
    const [path, ran] = [join(folder, `${name}.db`), [] as unknown[]];
    await ask(path, "exec_1", name, args);
    const { queue, executor, stranded, close } = start(path, ran);
    expect(await stranded()).toEqual([]);
    await expect(executor.waits.run("exec_1")).rejects.toThrow("still waits for approval");
    await queue.approve("exec_1", { by: boss });
    expect(await stranded()).toEqual(["exec_1"]);
    expect((await executor.waits.approved()).map(({ executionId }) => executionId)).toEqual(["exec_1"]);
    expect((await executor.waits.run("exec_1")).value).toBe("1");
    await executor.flush();
    expect([ran, await stranded()]).toEqual([[did], []]);
    if (name === "pay") expect(await executor.waits.run("exec_1")).toMatchObject({ replayed: true });
    expect(ran).toEqual([did]);
    await close();
  });

  test("stays through a prune for as long as it may run, and never seems not to have run", async () => {
    const [path, ran] = [join(folder, "pruned.db"), [] as unknown[]];
    await ask(path, "exec_1", "pay", { dollars: 5 });
    const { store, queue, executor, stranded, close } = start(path, ran);
    await queue.approve("exec_1", { by: boss });
    const everything = { records: { maxAge: 0 }, ledger: { maxAge: 0 }, runs: { maxAge: 0 } };
    const later = async () => {
      const now = Date.now();
      await expect.poll(() => Date.now()).toBeGreaterThan(now + 1);
    };
    await later();
    await store.prune(everything);
    expect(await stranded()).toEqual(["exec_1"]);
    await executor.waits.run("exec_1");
    await executor.flush();
    await later();
    // As it is where a prune was cut off, or a process that has to put the approval away has died.
    const wait = "exec_1:approval";
    await store.waits.revise(wait, (now) => ({ ...now, nextAt: 1 }));
    await store.prune(everything);
    expect([store.waits.get(wait)?.end?.how, await stranded()]).toEqual(["approved", []]);
    await store.waits.revise(wait, ({ nextAt: _, ...now }) => now);
    expect(await store.prune(everything)).toMatchObject({ waits: 1, ledger: 1 });
    expect([await stranded(), ran]).toEqual([[], [[500, "ann"]]]);
    await close();
  });

  test("does not run when it was denied, nor under an id that nobody knows", async () => {
    const path = join(folder, "denied.db");
    await ask(path, "exec_1", "pay", { dollars: 5 });
    const { queue, executor, stranded, close } = start(path, []);
    await queue.deny("exec_1", { by: boss });
    expect(await stranded()).toEqual([]);
    await expect(executor.waits.run("exec_1")).rejects.toThrow("was denied");
    await expect(executor.waits.run("exec_2")).rejects.toThrow("No call that was asked about");
    await close();
  });

  test("runs by itself in a process that is told to run such calls", async () => {
    const [path, ran] = [join(folder, "auto.db"), [] as unknown[]];
    await ask(path, "exec_1", "pay", { dollars: 5 });
    const { queue, executor, close } = start(path, ran);
    const stop = executor.waits.runApproved({ every: "20ms" });
    await queue.approve("exec_1", { by: boss });
    await expect.poll(() => ran).toEqual([[500, "ann"]]);
    stop();
    await close();
  });

  test("runs beside one that takes its time, and behind many of tools that are elsewhere", async () => {
    const [path, ran] = [join(folder, "many.db"), [] as unknown[]];
    const other = (name: string, execute: () => unknown) =>
      tool({ name, description: "Another", input: { type: "object" }, approval: true, execute });
    const elsewhere = other("elsewhere", () => "done");
    let finish = () => {};
    const slow = other("slow", () => new Promise<void>((resolve) => (finish = resolve)));
    const first = start(path, [], [elsewhere, slow]);
    const names = [...Array.from({ length: 101 }, () => "elsewhere"), "slow", "look"];
    for (const [n, name] of names.entries()) {
      const options = { executionId: `exec_${n}`, principal: { id: "ann" }, onWaiting: "return" } as const;
      await first.executor.call({ id: "c", name, arguments: {} }, options);
      await first.queue.approve(`exec_${n}`, { by: boss });
    }
    await first.close();
    const { executor, close } = start(path, ran, [slow]);
    const stop = executor.waits.runApproved({ every: "20ms" });
    await expect.poll(() => ran).toEqual(["look"]);
    finish();
    stop();
    await close();
  });
});
