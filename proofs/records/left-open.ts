import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Executor, type Reconciled, reconcileOpen, tool } from "@toolrig/core";
import { openStore, type Store } from "@toolrig/store";

export interface LeftOpenRow {
  what: string;
  saw: string;
  ok: boolean;
  skipped?: true;
}

type Outcome = Reconciled["outcome"];

const EXECUTION = "exec_paid";

/** What becomes of a payment whose process was killed while it ran: who opens the store next, and the records there must be. */
const WAYS: readonly { what: string; next(store: Store): unknown; records: readonly string[] }[] = [
  { what: "nobody reconciles", next() {}, records: ["unknown"] },
  { what: "reconcileOpen: nobody can tell", next: reconciled("unknown"), records: ["unknown"] },
  { what: "reconcileOpen: it happened", next: reconciled("completed"), records: ["unknown", "ok"] },
  { what: "reconcileOpen: it never ran", next: reconciled("never-ran"), records: ["unknown", "cancelled"] },
  { what: "reconcileOpen: it may be repeated, and is not", next: repeatable, records: ["unknown"] },
  {
    what: "a person says that it happened",
    next: (store) =>
      store.ledger.settle(EXECUTION, { outcome: "happened", by: { id: "ada" }, why: "I saw it" }),
    records: ["unknown", "ok"],
  },
  {
    what: "a call of a tool whose name is not well-formed is recorded, too",
    async next(store) {
      const executor = new Executor({ tools: [], store: store.records });
      await executor.call({ id: "c", name: "x\ud800" });
      await executor.drain();
    },
    records: ["unknown"],
  },
];

/** Kills a real process for each way. The audit must have the records, verify, and have no more of them after another start. */
export async function leftOpenTable(): Promise<LeftOpenRow[]> {
  const rows: LeftOpenRow[] = [];
  for (const { what, next, records } of WAYS) {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-left-"));
    try {
      const path = join(folder, "rig.db");
      await killedWhilePaying(path);
      const store = openStore(path);
      await next(store);
      store.close();
      const again = openStore(path);
      const kinds = again.records.get(EXECUTION).records.map(({ result }) => result.failure?.kind ?? "ok");
      const { ok } = again.records.verify();
      again.close();
      const saw = `${kinds.join(", ") || "no record"}, audit ${ok ? "intact" : "broken"}`;
      rows.push({ what, saw, ok: ok && kinds.join() === records.join() });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return rows;
}

function reconciled(outcome: Outcome) {
  return (store: Store) => reconcileOpen(store.ledger, [pay({ reconcile: () => ({ outcome }) })]);
}

function repeatable(store: Store): Promise<unknown> {
  return reconcileOpen(store.ledger, [pay({ safety: { sideEffects: "external", idempotent: true } })]);
}

function pay(more: object) {
  return tool({
    name: "pay",
    description: "Pay",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    execute: () => "paid",
    ...more,
  });
}

async function killedWhilePaying(path: string): Promise<void> {
  const child = fileURLToPath(new URL("./paying-main.ts", import.meta.url));
  const paying = spawn(process.execPath, ["--conditions=@toolrig/source", "--no-warnings", child, path]);
  const ended = new Promise((resolve) => paying.on("close", resolve));
  await new Promise((resolve) => paying.stdout.once("data", resolve));
  paying.kill("SIGKILL");
  await ended;
}
