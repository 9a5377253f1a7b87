import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sampleRecord } from "@toolrig/core/testing";
import { type Anchor, type Audit, openStore, type Store } from "@toolrig/store";

/** Something that somebody with access to the file does to it, and what the audit must then say. */
interface Tampering {
  what: string;
  do(file: DatabaseSync): void;
  /** Problems of which at least one must be reported; empty for none. */
  found: readonly Audit["problems"][number]["problem"][];
  /** Who can tell at all: whoever kept the head of the chain elsewhere, or also whoever sealed it with a key. */
  needs?: readonly TamperingRow["sealed"][];
}

const COUNT = 60;

const TAMPERINGS: readonly Tampering[] = [
  { what: "nothing", do() {}, found: [] },
  {
    what: "a word in a record is changed",
    do: (file) => file.exec("UPDATE records SET body = replace(body, 'word 30', 'word 31') WHERE seq = 30"),
    found: ["changed"],
  },
  {
    what: "a record and its own hash are changed",
    do: (file) => rehash(file, 30, 30),
    found: ["changed"],
  },
  {
    what: "a record is hidden under another tool",
    do: (file) => file.exec("UPDATE records SET tool = 'x' WHERE seq = 9"),
    found: ["changed"],
  },
  {
    what: "a record's kind is changed",
    do: (file) => file.exec("UPDATE records SET kind = 'timeout' WHERE seq = 9"),
    found: ["changed"],
  },
  {
    what: "a record's time is changed",
    do: (file) => file.exec("UPDATE records SET at = at + 1 WHERE seq = 9"),
    found: ["changed"],
  },
  {
    what: "a record's run is changed",
    do: (file) => file.exec("UPDATE records SET run_id = 'x' WHERE seq = 9"),
    found: ["changed"],
  },
  {
    what: "the path of an effect is removed",
    do: (file) => file.exec("DELETE FROM record_paths WHERE seq = 9"),
    found: ["changed"],
  },
  {
    what: "a record in the middle is removed",
    do: (file) => file.exec("DELETE FROM records WHERE seq = 30"),
    found: ["missing"],
  },
  {
    what: "ten records in the middle are removed",
    do: (file) => file.exec("DELETE FROM records WHERE seq BETWEEN 30 AND 39"),
    found: ["missing"],
  },
  {
    what: "the first record is removed",
    do: (file) => file.exec("DELETE FROM records WHERE seq = 1"),
    found: ["missing"],
  },
  {
    what: "the last record is removed",
    do: (file) => file.exec(`DELETE FROM records WHERE seq = ${COUNT}`),
    // The next process has gone on after it.
    found: ["missing"],
  },
  {
    what: "the last ten are removed and the end is moved",
    do(file) {
      file.exec("DELETE FROM records WHERE seq > 50");
      file.exec("UPDATE chain SET head_seq = 50, head_hash = (SELECT hash FROM records WHERE seq = 50)");
    },
    found: ["resealed"],
  },
  {
    what: "the first ten are removed and the beginning is moved",
    do(file) {
      file.exec("UPDATE chain SET base_seq = 10, base_hash = (SELECT hash FROM records WHERE seq = 10)");
      file.exec("DELETE FROM records WHERE seq <= 10");
    },
    found: ["resealed"],
  },
  {
    what: "two records change places",
    do(file) {
      const [a, b] = [bodyOf(file, 20), bodyOf(file, 40)];
      file.prepare("UPDATE records SET body = ? WHERE seq = 20").run(b);
      file.prepare("UPDATE records SET body = ? WHERE seq = 40").run(a);
    },
    found: ["moved"],
  },
  {
    what: "two neighbours change places, hashes and all",
    do(file) {
      file.exec("UPDATE records SET seq = -1 WHERE seq = 20");
      file.exec("UPDATE records SET seq = 20 WHERE seq = 21");
      file.exec("UPDATE records SET seq = 21 WHERE seq = -1");
    },
    found: ["moved", "changed"],
  },
  {
    what: "a record is added at the end",
    do: (file) =>
      file.exec(
        `INSERT INTO records SELECT ${COUNT + 1}, at, total, tool, kind, 'exec_forged', run_id, body, hash FROM records WHERE seq = ${COUNT}`,
      ),
    found: ["extra"],
  },
  {
    what: "the first ten are removed, the beginning is moved and sealed anew",
    do(file) {
      moveBase(file, 10);
      removeUntil(file, 10);
      reseal(file);
    },
    found: ["removed", "resealed"],
  },
  {
    what: "all records are removed and the chain begins where it ended",
    do(file) {
      moveBase(file, COUNT);
      removeUntil(file, COUNT);
      reseal(file);
    },
    found: ["removed", "resealed"],
  },
  {
    what: "all records are removed and the chain begins at a later row",
    do(file) {
      moveBase(file, COUNT);
      removeUntil(file, COUNT);
      file.exec(`UPDATE chain SET base_seq = ${COUNT + 15}, head_seq = ${COUNT + 15}`);
      reseal(file);
    },
    found: ["removed", "resealed"],
  },
  {
    what: "all are removed up to a later row, with a receipt that was made up",
    do(file) {
      moveBase(file, COUNT);
      removeUntil(file, COUNT);
      file.exec(`UPDATE chain SET base_seq = ${COUNT + 15}, head_seq = ${COUNT + 15}`);
      forgeReceipt(file);
      reseal(file);
    },
    found: ["removed", "resealed"],
    needs: ["anchor", "key"],
  },
  {
    what: "all are removed up to another last row, with a receipt that was made up",
    do(file) {
      moveBase(file, COUNT);
      removeUntil(file, COUNT);
      file.prepare("UPDATE chain SET base_hash = ?, head_hash = ?").run(Buffer.alloc(32), Buffer.alloc(32));
      forgeReceipt(file);
      reseal(file);
    },
    found: ["changed", "resealed"],
    needs: ["anchor", "key"],
  },
  {
    what: "a record is taken out of the full-text index",
    do: (file) => file.exec("DELETE FROM record_text WHERE rowid = 30"),
    found: ["changed"],
  },
  {
    what: "a record is put into the full-text index with other words",
    do: (file) =>
      file.exec(
        "DELETE FROM record_text WHERE rowid = 30; INSERT INTO record_text (rowid, text, tags) VALUES (30, 'nothing', '')",
      ),
    found: ["changed"],
  },
  {
    what: "two records change places in the full-text index",
    do: (file) =>
      file.exec(
        `DELETE FROM record_text WHERE rowid IN (30, 31);
         INSERT INTO record_text (rowid, text, tags) VALUES (30, 'word 31', ''), (31, 'word 30', '')`,
      ),
    found: ["changed"],
  },
  {
    what: "a path is added to a record",
    do: (file) => file.exec("INSERT INTO record_paths VALUES ('/etc/passwd', 9)"),
    found: ["changed"],
  },
  {
    what: "a payment that never was is put into the ledger of a dead process",
    do: forgePayment,
    found: ["forged"],
    needs: ["key"],
  },
  {
    what: "a payment of a dead process is kept out of the audit",
    do: (file) => file.exec("UPDATE sessions SET recovered = 1"),
    found: ["missing"],
  },
  {
    what: "all records are removed, and the chain",
    do: (file) => file.exec("DELETE FROM records; DELETE FROM chain"),
    found: ["truncated"],
    needs: ["anchor"],
  },
  {
    what: "a record is changed and everything after it computed anew",
    do: (file) => rehash(file, 30, COUNT, true),
    found: ["changed", "resealed"],
    needs: ["anchor", "key"],
  },
];

export interface TamperingRow {
  what: string;
  sealed: "plain" | "anchor" | "key";
  found: string;
  ok: boolean;
}

/** Does each to a chain without more, to one whose head was kept elsewhere, and to one that is sealed with a key. */
export async function tamperingTable(): Promise<TamperingRow[]> {
  const rows: TamperingRow[] = [];
  for (const sealed of ["plain", "anchor", "key"] as const)
    for (const tampering of TAMPERINGS.filter(({ needs }) => needs?.includes(sealed) ?? true)) {
      const audit = await tamper(tampering, sealed);
      const problems = [...new Set(audit.problems.map(({ problem }) => problem))];
      const ok =
        tampering.found.length === 0
          ? audit.ok
          : tampering.found.some((problem) => problems.includes(problem));
      rows.push({ what: tampering.what, sealed, found: audit.ok ? "intact" : problems.join(", "), ok });
    }
  return rows;
}

async function tamper({ do: change }: Tampering, sealed: TamperingRow["sealed"]): Promise<Audit> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-tamper-"));
  const path = join(folder, "rig.db");
  const options = sealed === "key" ? { auditKey: "only the auditor knows" } : {};
  try {
    let store = openStore(path, options);
    store.records.store(Array.from({ length: COUNT }, (_, index) => sampleRecord(index + 1)));
    await payOnce(store);
    const anchors: Anchor[] = sealed === "anchor" ? [store.records.head()] : [];
    store.close();
    const file = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    change(file);
    file.close();
    store = openStore(path, options);
    const audit = store.records.verify(anchors);
    store.close();
    return audit;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function bodyOf(file: DatabaseSync, seq: number): string {
  return file.prepare("SELECT body FROM records WHERE seq = ?").get(seq)!.body as string;
}

/** What somebody would do who knows how the chain is made, but not its key. */
function rehash(file: DatabaseSync, from: number, to: number, all = false): void {
  file.exec(`UPDATE records SET body = replace(body, 'word ${from}', 'word 31') WHERE seq = ${from}`);
  for (let seq = from; seq <= to; seq++) {
    const before = file.prepare("SELECT hex(hash) AS hash FROM records WHERE seq = ?").get(seq - 1)!
      .hash as string;
    const { kind, body } = file.prepare("SELECT kind, body FROM records WHERE seq = ?").get(seq) as {
      kind: string;
      body: string;
    };
    const sum = hash("sha256", `${before.toLowerCase()}\n${seq}\n${kind}\n${body}`, "buffer");
    file.prepare("UPDATE records SET hash = ? WHERE seq = ?").run(sum, seq);
  }
  if (!all) return;
  file.exec("UPDATE chain SET head_hash = (SELECT hash FROM records WHERE seq = head_seq)");
  reseal(file);
}

/** The ends as somebody without the key would seal them. */
function reseal(file: DatabaseSync): void {
  const row = file.prepare("SELECT * FROM chain").get() as Record<string, number | Uint8Array>;
  const parts = ["base", "head"].flatMap((end) => [
    row[`${end}_seq`],
    Buffer.from(row[`${end}_hash`] as Uint8Array).toString("hex"),
    row[`${end}_total`],
    row[`${end}_at`],
  ]);
  file.prepare("UPDATE chain SET seal = ?").run(hash("sha256", `ends\n${parts.join("\n")}`, "buffer"));
}

function moveBase(file: DatabaseSync, seq: number): void {
  const columns = ["seq", "hash", "total", "at"];
  const set = columns.map((name) => `base_${name} = (SELECT ${name} FROM records WHERE seq = ${seq})`);
  file.exec(`UPDATE chain SET ${set.join(", ")}`);
}

function removeUntil(file: DatabaseSync, seq: number): void {
  file.exec(`DELETE FROM record_text WHERE rowid <= ${seq}; DELETE FROM record_paths WHERE seq <= ${seq}`);
  file.exec(`DELETE FROM records WHERE seq <= ${seq}`);
}

/** A row at the end that says what a prune would. */
function forgeReceipt(file: DatabaseSync): void {
  const {
    base_seq: until,
    base_hash,
    head_hash,
    head_seq,
    head_total,
    head_at,
  } = file.prepare("SELECT * FROM chain").get() as Record<string, number> & {
    base_hash: Uint8Array;
    head_hash: Uint8Array;
  };
  const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  const body = JSON.stringify({ until, hash: toHex(base_hash), at: head_at });
  const seq = head_seq! + 1;
  const sum = hash("sha256", `${toHex(head_hash)}\n${seq}\nprune\n${body}`, "buffer");
  const total = head_total! + body.length;
  file
    .prepare("INSERT INTO records VALUES (?, ?, ?, '', 'prune', '', NULL, ?, ?)")
    .run(seq, head_at!, total, body, sum);
  file.prepare("UPDATE chain SET head_seq = ?, head_hash = ?, head_total = ?").run(seq, sum, total);
}

/** A side effect that its process has recorded nowhere but in the ledger. */
async function payOnce({ ledger }: Store): Promise<void> {
  const executionId = "exec_paid";
  const subject = { name: "pay", callId: "c" };
  const intent = {
    ...subject,
    executionId,
    fingerprint: "f",
    version: undefined,
    args: {},
    runId: undefined,
  };
  await ledger.intend(intent);
  await ledger.complete(executionId, { ...sampleRecord(1).result, ...subject, executionId });
}

function forgePayment(file: DatabaseSync): void {
  file.exec(
    `INSERT INTO ledger (execution_id, fingerprint, name, args, call_id, session, state, result, intended_at, closed_at, seal)
     SELECT 'exec_forged', 'f', name, '{"amount":1000000}', 'c', session, state, result, intended_at, closed_at, seal FROM ledger`,
  );
}
