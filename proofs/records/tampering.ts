import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sampleRecord } from "@toolrig/core/testing";
import { type Anchor, type Audit, openStore } from "@toolrig/store";

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
    found: ["truncated"],
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
export function tamperingTable(): TamperingRow[] {
  return (["plain", "anchor", "key"] as const).flatMap((sealed) =>
    TAMPERINGS.filter(({ needs }) => needs?.includes(sealed) ?? true).map((tampering) => {
      const audit = tamper(tampering, sealed);
      const problems = [...new Set(audit.problems.map(({ problem }) => problem))];
      const ok =
        tampering.found.length === 0
          ? audit.ok
          : tampering.found.some((problem) => problems.includes(problem));
      return { what: tampering.what, sealed, found: audit.ok ? "intact" : problems.join(", "), ok };
    }),
  );
}

function tamper({ do: change }: Tampering, sealed: TamperingRow["sealed"]): Audit {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-tamper-"));
  const path = join(folder, "rig.db");
  const options = sealed === "key" ? { auditKey: "only the auditor knows" } : {};
  try {
    let store = openStore(path, options);
    store.records.store(Array.from({ length: COUNT }, (_, index) => sampleRecord(index + 1)));
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
function rehash(file: DatabaseSync, from: number, to: number, reseal = false): void {
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
  if (!reseal) return;
  file.exec(`UPDATE chain SET head_hash = (SELECT hash FROM records WHERE seq = head_seq)`);
  const row = file.prepare("SELECT * FROM chain").get() as Record<string, number | Uint8Array>;
  const parts = ["base", "head"].flatMap((end) => [
    row[`${end}_seq`],
    Buffer.from(row[`${end}_hash`] as Uint8Array).toString("hex"),
    row[`${end}_total`],
    row[`${end}_at`],
  ]);
  file.prepare("UPDATE chain SET seal = ?").run(hash("sha256", `ends\n${parts.join("\n")}`, "buffer"));
}
