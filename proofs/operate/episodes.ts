import { copyFileSync, rmSync, truncateSync } from "node:fs";
import { Executor, tool } from "@toolrig/core";
import { openStore } from "@toolrig/store";
import { Payer, paidTwice } from "../../packages/store/test/payer.ts";
import { expectThat } from "./expect-that.ts";
import { toolrig } from "./toolrig.ts";

/** One thing that happens to an operator. Resolves with what was seen; throws on a repeat, a silent loss or wrong advice. */
export interface Episode {
  what: string;
  run(path: string): Promise<string>;
}

export const EPISODES: readonly Episode[] = [
  { what: "nightly: backup and prune while payments are made", run: nightly },
  { what: "crash, toolrig restore", run: (path) => restored(path, (copy) => toolrig(path, "restore", copy)) },
  {
    what: "crash, backup copied over the file by hand",
    run: (path) => restored(path, (copy) => copyFileSync(copy, path)),
  },
  { what: "crash, log deleted", run: (path) => lost(path, "no-log", () => rmSync(`${path}-wal`)) },
  { what: "crash, log truncated", run: (path) => lost(path, "no-log", () => truncateSync(`${path}-wal`)) },
  { what: "crash, file deleted", run: (path) => lost(path, "no-file", () => rmSync(path)) },
  { what: "crash, file truncated", run: (path) => lost(path, "empty", () => truncateSync(path)) },
  { what: "open, file overwritten with an older copy", run: overwritten },
  { what: "nightly prune while a run is open that owns payments", run: prunedWhileOpen },
];

async function nightly(path: string): Promise<string> {
  const payer = await Payer.start(path);
  try {
    await payer.pay(0, 20);
    const store = openStore(path);
    await store.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: null });
    const paying = payer.pay(20, 80);
    const copy = `${path}.backup`;
    const made = toolrig(path, "backup", copy);
    expectThat(made.status === 0, `backup: ${made.said}`);
    await store.prune({ records: { maxBytes: 0 }, ledger: { maxAge: "1h" } });
    expectThat((await paying) === "paid", "a payment was refused");
    store.close();
    const verified = toolrig(copy, "audit", "verify");
    expectThat(verified.status === 0, `audit verify of the backup: ${verified.said}`);
    expectThat(paidTwice(path).length === 0, "a payment was repeated");
    return "backup verified, 80 payments once each";
  } finally {
    await payer.kill();
  }
}

/** Five payments before the backup, five after it by a process that is killed. */
export async function crashed(path: string): Promise<string> {
  const early = await Payer.start(path);
  await early.pay(0, 5);
  await early.close();
  const copy = `${path}.backup`;
  expectThat(toolrig(path, "backup", copy).status === 0, "no backup");
  const late = await Payer.start(path);
  await late.pay(5, 10);
  await late.kill();
  return copy;
}

async function restored(path: string, restore: (copy: string) => unknown): Promise<string> {
  restore(await crashed(path));
  const { said } = toolrig(path, "open");
  expectThat(said.includes("from a backup of"), `toolrig open does not tell of the restore: ${said}`);
  const next = await Payer.start(path);
  try {
    expectThat((await next.pay(0, 5)) === "paid", "a payment of the backup is not answered");
    expectThat(
      (await next.pay(5, 10)) === "TOOL_OUTCOME_UNKNOWN",
      "a payment since the backup is not unknown",
    );
    expectThat(paidTwice(path).length === 0, "a payment was repeated");
  } finally {
    await next.kill();
  }
  return "5 answered, 5 unknown, none repeated";
}

async function lost(path: string, problem: string, lose: () => void): Promise<string> {
  const copy = await crashed(path);
  lose();
  for (const looking of [["open"], ["audit", "verify"], ["log"]]) {
    const { status, said } = toolrig(path, ...looking);
    expectThat(status !== 0, `toolrig ${looking.join(" ")} says all is well: ${said}`);
  }
  let found: unknown = "opened";
  try {
    openStore(path).close();
  } catch (error) {
    found = (error as { details?: { problem?: string } }).details?.problem;
  }
  expectThat(found === problem, `found as ${found} instead of ${problem}`);
  const repaired = toolrig(path, "restore", copy);
  expectThat(repaired.status === 0, `restore: ${repaired.said}`);
  return `refused (${problem}), then restored`;
}

/** The payment of an open run is older than retention: the run asks for it again, as `resume` does. */
async function prunedWhileOpen(path: string): Promise<string> {
  let paid = 0;
  const pay = tool({
    name: "pay",
    description: "Pay",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    execute: () => ++paid,
  });
  const store = openStore(path);
  try {
    const ask = () =>
      new Executor({ tools: [pay], ledger: store.ledger, store: store.records }).call(
        { id: "c", name: "pay" },
        { executionId: "exec_1", runId: "run_1" },
      );
    await store.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: null });
    await ask();
    while (Date.now() <= (store.ledger.get("exec_1")?.closedAt ?? 0) + 1);
    const open = await store.prune({ ledger: { maxAge: 1 }, records: { maxAge: 1 }, runs: { maxAge: 1 } });
    expectThat(open.ledger === 0 && open.runs === 0, "the payment of an open run was pruned");
    expectThat(!(await ask()).isError && paid === 1, "the payment was repeated");
    await store.journal.append("run_1", [{ type: "end", outcome: null }]);
    while (Date.now() <= (store.journal.summary("run_1")?.updatedAt ?? 0) + 1);
    const over = await store.prune({ ledger: { maxAge: 1 } });
    expectThat(over.ledger === 1, "the payment of a run that is over was kept");
    return "paid once, pruned once the run was over";
  } finally {
    store.close();
  }
}

async function overwritten(path: string): Promise<string> {
  const copy = await crashed(path);
  const payer = await Payer.start(path);
  try {
    await payer.pay(10, 12);
    copyFileSync(copy, path);
    const codes = await payer.pay(12, 20);
    expectThat(codes.includes("TOOL_UNAVAILABLE"), `side effects went on: ${codes}`);
    await payer.pay(0, 12);
    expectThat(paidTwice(path).length === 0, "a payment was repeated");
    return "noticed, side effects refused";
  } finally {
    await payer.kill();
  }
}
