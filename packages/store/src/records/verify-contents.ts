import { createHash } from "node:crypto";
import { artifactId } from "@toolrig/core/kit";
import type { Database } from "../database/database.ts";
import { entryOf, type JournalRow } from "../database/journal-row.ts";
import type { LedgerRow } from "../database/ledger-row.ts";
import type { CatalogColumn, RunColumn, Seals, WaitColumn } from "../database/seals.ts";
import type { Sealed } from "../database/table-seal.ts";
import type { Report } from "./verify.ts";

/** Names executions, runs and artifacts that are not as they were written. Reads row by row: memory does not grow with the file. */
export function verifyContents(database: Database, seals: Seals, report: Report): void {
  verifyLedgerRows(database, seals, report);
  verifyJournal(database, seals, report);
  verifyRuns(database, report);
  verifyArtifacts(database, report);
  verifyRows(database, seals, report);
}

/** What waits, what was put into the catalog, and what runs were begun with. */
function verifyRows(database: Database, { waits, catalog, runs }: Seals, report: Report): void {
  const damaged = (what: string) =>
    report(0, "changed", `${what} is damaged: it does not match its checksum.`);
  for (const row of database.prepare<Sealed<WaitColumn>>("SELECT * FROM waits").iterate())
    if (!waits.holds(row)) damaged(`What ${row.name} (${row.execution_id}) waits for (${row.kind})`);
  for (const row of database.prepare<Sealed<CatalogColumn>>("SELECT * FROM catalog").iterate())
    if (!catalog.holds(row)) damaged(`The ${row.kind} "${row.name}" in the catalog`);
  for (const row of database.prepare<Sealed<RunColumn>>("SELECT * FROM runs").iterate())
    if (!runs.holds(row)) damaged(`The beginning of run ${row.run_id}`);
}

function verifyLedgerRows(database: Database, { ledger }: Seals, report: Report): void {
  for (const row of database.prepare<LedgerRow>("SELECT * FROM ledger").iterate()) {
    if (ledger.holds(row)) continue;
    const what = `${row.name} (${row.execution_id}) in the ledger`;
    if (ledger.mismatch === "tampered")
      report(row.after_seq, "forged", `${what} was not written with the key.`);
    else report(row.after_seq, "changed", `${what} is damaged: it does not match its checksum.`);
  }
}

function verifyJournal(database: Database, { journal }: Seals, report: Report): void {
  for (const row of database.prepare<JournalRow>("SELECT * FROM journal").iterate()) {
    const what = `Entry ${row.n} of run ${row.run_id} is damaged`;
    if (!journal.holds(row)) report(row.after_seq, "changed", `${what}: it does not match its checksum.`);
    else if (entryOf(row) === undefined) report(row.after_seq, "changed", `${what}: it is not an entry.`);
  }
}

interface RunCount {
  run_id: string;
  /** As the run says. */
  said: number;
  found: number;
  last: number;
}

/** A run says how many entries it has. */
function verifyRuns(database: Database, report: Report): void {
  const counts = database.prepare<RunCount>(
    `SELECT r.run_id, r.entries AS said, count(j.n) AS found, coalesce(max(j.n), -1) AS last
     FROM runs r LEFT JOIN journal j ON j.run_id = r.run_id GROUP BY r.run_id`,
  );
  for (const { run_id: run, said, found, last } of counts.iterate()) {
    const expected = Math.max(said, last + 1);
    if (found < expected)
      report(0, "missing", `Run ${run} lacks ${expected - found} of ${expected} entries.`);
    else if (found > said) report(0, "changed", `Run ${run} has ${found} entries, and says ${said}.`);
  }
  const strays = database.prepare<{ run_id: string; found: number }>(
    "SELECT run_id, count(*) AS found FROM journal WHERE run_id NOT IN (SELECT run_id FROM runs) GROUP BY run_id",
  );
  for (const { run_id: run, found } of strays.iterate())
    report(0, "missing", `Run ${run} is gone, and ${found} of its entries are there.`);
}

interface Piece {
  id: number;
  hash: string;
  name: string;
  content: Uint8Array | null;
}

function verifyArtifacts(database: Database, report: Report): void {
  const pieces = database.prepare<Piece>(
    `SELECT a.id, a.hash, a.name, p.content FROM artifacts a LEFT JOIN artifact_pieces p ON p.artifact = a.id
     WHERE a.hash IS NOT NULL ORDER BY a.id, p.n`,
  );
  let current: Piece | undefined;
  let sum = createHash("sha256");
  const end = () => {
    if (current === undefined) return;
    const found = sum.digest("hex");
    if (found !== current.hash || artifactId(found) !== current.name)
      report(0, "changed", `Artifact ${current.name} is damaged: its content does not match its hash.`);
  };
  for (const piece of pieces.iterate()) {
    if (piece.id !== current?.id) {
      end();
      sum = createHash("sha256");
      current = piece;
    }
    if (piece.content instanceof Uint8Array) sum.update(piece.content);
  }
  end();
}
