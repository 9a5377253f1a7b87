import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { ToolrigError } from "@toolrig/core";
import type { Wait } from "@toolrig/core/kit";
import { openStore, type Store } from "@toolrig/store";
import { Payer, paidTwice } from "../../packages/store/test/payer.ts";
import { expectThat } from "./expect-that.ts";

const TABLES = ["ledger", "journal", "records", "artifact_pieces", "waits", "catalog", "runs"] as const;
const PAYMENTS = 20;

/** A bit of a table's pages is flipped: nothing that differs is read as if it were whole. */
export async function flipped(path: string, flips: number): Promise<string> {
  await filled(path);
  const whole = readFileSync(path);
  const before = contents(path);
  expectThat(damageIn(path).length === 0, `a whole store is called damaged: ${damageIn(path)[0]}`);
  let found = 0;
  for (const table of TABLES)
    for (let n = 0; n < flips; n++) {
      const bytes = Buffer.from(whole);
      const at = byteOf(path, table, n / flips);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (n % 8)), at);
      writeFileSync(path, bytes);
      const damage = damageIn(path);
      if (damage.length > 0) found += 1;
      else expectThat(contents(path) === before, `byte ${at} of ${table} was flipped, and nothing says so`);
      writeFileSync(path, whole);
    }
  expectThat(paidTwice(path).length === 0, "a payment was repeated");
  return `${found} of ${TABLES.length * flips} named, the others change nothing that is read`;
}

async function filled(path: string): Promise<void> {
  const payer = await Payer.start(path);
  await payer.pay(0, PAYMENTS);
  await payer.close();
  const store = openStore(path);
  await store.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: null });
  for (let turn = 1; turn <= PAYMENTS; turn++)
    await store.journal.append("run_1", [{ type: "message", turn, message: `turn ${turn}`.repeat(20) }]);
  for (let n = 0; n < PAYMENTS; n++) {
    await store.journal.begin({
      runId: `begun_${n}`,
      kind: "loop",
      startedAt: n,
      input: `task ${n}`.repeat(20),
    });
    await store.catalog.put({ kind: "tool", name: `tool_${n}`, spec: { text: `tool ${n}`.repeat(20) } });
    await store.waits.add(waitOf(n));
  }
  store.artifacts.put("pay 1000 to ada\n".repeat(500));
  store.close();
}

function waitOf(n: number): Wait {
  const [executionId, body] = [`asked_${n}`, { text: `question ${n}`.repeat(20) }];
  return {
    id: `${executionId}:approval`,
    kind: "approval",
    executionId,
    callId: "c",
    name: "pay",
    createdAt: n,
    body,
  };
}

/** A byte of a page of a table, the farther in it the greater `part` is. */
function byteOf(path: string, table: string, part: number): number {
  const file = new DatabaseSync(path, { readOnly: true });
  const pages = file
    .prepare("SELECT pgoffset AS at, pgsize AS size, unused FROM dbstat WHERE name = ? ORDER BY pageno")
    .all(table) as { at: number; size: number; unused: number }[];
  file.close();
  const page = pages[Math.floor(part * pages.length)]!;
  // Cells are at the end of a page.
  return page.at + page.size - 1 - Math.floor(part * 0.9 * (page.size - page.unused - 64));
}

/** Errors of the store count as named; any other is a miss. */
function damageIn(path: string): string[] {
  return attempted(path, (store) => [
    ...store.check(),
    ...store.records.verify().problems.map(({ message }) => message),
  ]);
}

function contents(path: string): string {
  const read = attempted(path, (store) => [
    JSON.stringify([
      Array.from({ length: PAYMENTS }, (_, n) => store.ledger.get(`exec_${n}`)),
      store.journal.entries("run_1"),
      [...store.records.all()],
      Array.from({ length: PAYMENTS }, (_, n) => [
        store.waits.get(waitOf(n).id),
        store.catalog.get("tool", `tool_${n}`),
        store.journal.header(`begun_${n}`),
      ]),
    ]),
  ]);
  return read.join();
}

function attempted(path: string, work: (store: Store) => string[]): string[] {
  try {
    const store = openStore(path, { readOnly: true });
    try {
      return work(store);
    } finally {
      store.close();
    }
  } catch (error) {
    expectThat(ToolrigError.isInstance(error), `a raw error: ${error}`);
    return [error.message];
  }
}
