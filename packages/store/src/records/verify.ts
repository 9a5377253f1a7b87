import { check, defined } from "@toolrig/core/kit";
import type { Database } from "../database/database.ts";
import type { Seals } from "../database/seals.ts";
import { type Chain, type Ends, hex } from "./chain.ts";
import { type Columns, columnsOf } from "./columns.ts";
import { BREACH, decodeNotice, type Notice, PRUNE } from "./notices.ts";
import type { RecordRow } from "./query.ts";
import { verifyContents } from "./verify-contents.ts";
import { verifyLedger } from "./verify-ledger.ts";
import { verifyText } from "./verify-text.ts";

/** A state of the chain that was noted earlier, somewhere else: `head()` gives it. */
export interface Anchor {
  seq: number;
  hash: string;
}

export interface AuditProblem {
  /** The row at which it shows; 0 for runs and artifacts. */
  seq: number;
  problem: "changed" | "missing" | "moved" | "truncated" | "extra" | "resealed" | "removed" | "forged";
  message: string;
}

export interface Audit {
  ok: boolean;
  /** How many rows were looked at. */
  checked: number;
  /** From here on rows could be checked; those before were removed by retention. */
  firstSeq: number;
  lastSeq: number;
  /** When retention last removed rows, in epoch milliseconds, if it did. */
  prunedAt?: number;
  /** In order of rows; at most `MAX_PROBLEMS`. */
  problems: AuditProblem[];
}

const MAX_PROBLEMS = 100;

interface Suspect {
  row: RecordRow;
  previous: string;
}

/** Throws `OPTION_INVALID` for what `head()` cannot have given: it would find nothing wrong. */
export function checkAnchor(anchor: Anchor, index: number): Anchor {
  if (typeof anchor !== "object" || anchor === null) throw notAnAnchor(anchor, index);
  const { seq, hash } = anchor;
  if (Number.isSafeInteger(seq) && seq >= 0 && /^[0-9a-f]{64}$/.test(hash)) return anchor;
  throw notAnAnchor(anchor, index);
}

function notAnAnchor(given: unknown, index: number): Error {
  return check.invalid(`anchors[${index}]`, "{ seq, hash } as head() gives it", given);
}

/**
 * Goes through the whole chain, row by row. Finds what was changed, removed, moved or cut off, and where, and what is damaged in ledger,
 * journal and artifacts.
 */
export function verify(
  database: Database,
  chain: Chain,
  keyed: boolean,
  seals: Seals,
  noted: readonly Anchor[],
): Audit {
  const problems: AuditProblem[] = [];
  const ends = chain.ends();
  // The end of an empty chain is part of every chain.
  const anchors = noted.filter(({ seq }) => seq > 0);
  const report: Report = (seq, problem, message) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ seq, problem, message });
  };
  if (ends === undefined) {
    const checked = verifyNothing(database, anchors, report);
    verifyLedger(database, seals.ledger, { base: 0, head: 0 }, report);
    verifyContents(database, seals, report);
    return { ok: problems.length === 0, checked, firstSeq: 1, lastSeq: 0, problems };
  }
  const audit = { ok: true, checked: 0, firstSeq: ends.base.seq + 1, lastSeq: ends.head.seq, problems };
  if (ends.keyed !== keyed) {
    const message = ends.keyed
      ? "The chain is sealed with a key; pass auditKey to verify it."
      : "The chain was not made with the key that was given.";
    return { ...audit, ok: false, problems: [{ seq: ends.head.seq, problem: "resealed", message }] };
  }
  if (chain.seal(ends) !== ends.seal)
    report(ends.head.seq, "resealed", "The ends of the chain were changed: their seal does not match.");
  const { checked, last, receipt } = walk(database, chain, ends, report, anchors);
  if (last < ends.head.seq)
    report(last + 1, "truncated", `Rows ${last + 1} to ${ends.head.seq} were cut off the end.`);
  verifyBase(ends, receipt, report);
  for (const anchor of anchors) verifyAnchor(anchor, ends, keyed, report);
  // Records that were changed do not fit their words, which would say the same twice.
  if (problems.length === 0) verifyText(database, report);
  verifyLedger(database, seals.ledger, { base: ends.base.seq, head: ends.head.seq }, report);
  verifyContents(database, seals, report);
  problems.sort((a, b) => a.seq - b.seq);
  return {
    ...audit,
    ok: problems.length === 0,
    checked,
    ...defined({ prunedAt: receipt?.at }),
  };
}

/** Messages about contents that are not as they were written. A chain that was sealed with a key is checked with the key only. */
export function damage(database: Database, chain: Chain, keyed: boolean, seals: Seals): string[] {
  const found: string[] = [];
  const report: Report = (_seq, _problem, message) => {
    if (found.length < MAX_PROBLEMS) found.push(message);
  };
  const ends = chain.ends();
  if (ends?.keyed === keyed) walk(database, chain, ends, report, []);
  verifyContents(database, seals, report);
  return found;
}

export type Report = (seq: number, problem: AuditProblem["problem"], message: string) => void;

/** Whatever is gone from the beginning was removed by a prune, which has left a receipt in the chain. */
function verifyBase({ base }: Ends, receipt: Notice | undefined, report: Report): void {
  if (base.seq === 0) return;
  if (receipt?.until === base.seq && receipt.hash === base.hash) return;
  const message = `Rows 1 to ${base.seq} were removed, and no prune has left a receipt of it.`;
  report(base.seq, "removed", message);
}

/** Of the anchors that no kept row can be compared with. */
function verifyAnchor({ seq, hash }: Anchor, { base, head }: Ends, keyed: boolean, report: Report): void {
  if (seq > head.seq)
    report(seq, "truncated", `The chain once reached row ${seq} and now ends at ${head.seq}.`);
  if (seq === base.seq && hash !== base.hash)
    report(seq, "changed", `Row ${seq}, which was removed, is not the one that was noted earlier.`);
  // Without a key, anybody who can write to the file can write a receipt as well.
  if (seq < base.seq && !keyed) {
    const message = `Row ${seq}, which was noted earlier, was removed with all before row ${base.seq + 1}. Without auditKey nobody can say by whom; if it was retention, note the end of the chain anew.`;
    report(seq, "removed", message);
  }
}

function walk(
  database: Database,
  chain: Chain,
  { base, head }: Ends,
  report: Report,
  anchors: readonly Anchor[],
): { checked: number; last: number; receipt: Notice | undefined } {
  const noted = Map.groupBy(anchors, ({ seq }) => seq);
  const suspects: Suspect[] = [];
  let { seq: last, hash: previous, total, at } = base;
  let checked = 0;
  let receipt: Notice | undefined;
  for (const row of database.prepare<RecordRow>("SELECT * FROM records ORDER BY seq").iterate()) {
    checked += 1;
    const gap = row.seq > last + 1;
    if (row.seq <= base.seq || row.seq > head.seq)
      report(row.seq, "extra", `Row ${row.seq} is not part of the chain.`);
    else if (gap) report(last + 1, "missing", `Rows ${last + 1} to ${row.seq - 1} are missing.`);
    // What comes after a gap cannot be checked against what is gone; the chain goes on from its own hash.
    else if (chain.digest(previous, row.seq, row.kind, row.body) !== hex(row.hash)) {
      if (suspects.length < MAX_PROBLEMS) suspects.push({ row, previous });
    } else if (!matchesColumns(database, row, { total, at }))
      report(row.seq, "changed", `The columns of row ${row.seq} do not agree with its record.`);
    else if (row.kind === PRUNE) receipt = decodeNotice(row.body);
    if (row.kind === BREACH)
      report(row.seq, "resealed", `When row ${row.seq} was written, the ends of the chain had been changed.`);
    if (noted.get(row.seq)?.some(({ hash }) => hash !== hex(row.hash)) === true)
      report(row.seq, "changed", `Row ${row.seq} is not the one that was noted earlier.`);
    ({ seq: last, total, at } = row);
    previous = hex(row.hash);
  }
  const { strays } = database.row<{ strays: number }>(
    "SELECT count(*) AS strays FROM record_paths WHERE seq NOT IN (SELECT seq FROM records)",
  );
  if (strays > 0) report(last, "extra", `${strays} paths of effects belong to no record.`);
  if (last === head.seq && previous !== head.hash)
    report(last, "changed", `Row ${last} does not agree with the end of the chain.`);
  explain(chain, suspects, report);
  return { checked, last: Math.min(last, head.seq), receipt };
}

/** A row that fits the place of another was moved; any other was changed. */
function explain(chain: Chain, suspects: readonly Suspect[], report: Report): void {
  for (const { row, previous } of suspects) {
    const origin = suspects.find(({ row: other, previous: before }) => {
      if (other.seq === row.seq) return false;
      const there = chain.digest(before, other.seq, row.kind, row.body);
      return there === hex(other.hash) || there === hex(row.hash);
    });
    const swapped = suspects.find(
      ({ row: other }) =>
        other.seq !== row.seq && chain.digest(previous, row.seq, other.kind, other.body) === hex(other.hash),
    );
    const place = (origin ?? swapped)?.row.seq;
    if (place === undefined) report(row.seq, "changed", `Row ${row.seq} does not match its hash.`);
    else report(row.seq, "moved", `Row ${row.seq} was moved: its place is ${place}, or the other way round.`);
  }
}

function matchesColumns(database: Database, row: RecordRow, before: { total: number; at: number }): boolean {
  const columns = readColumns(row);
  if (columns === undefined) return false;
  const { tool, kind, executionId, runId, at, paths } = columns;
  const same =
    row.tool === tool &&
    row.kind === kind &&
    row.execution_id === executionId &&
    (row.run_id ?? undefined) === runId &&
    row.at === Math.max(before.at, at) &&
    row.total === before.total + row.body.length;
  if (!same) return false;
  const stored = database
    .prepare<{ path: string }>("SELECT path FROM record_paths WHERE seq = ? ORDER BY path")
    .all(row.seq)
    .map(({ path }) => path);
  return stored.length === paths.length && [...paths].sort().every((path, index) => path === stored[index]);
}

/** Undefined for a body that is no record: it was hashed by another program. */
function readColumns({ kind, body }: RecordRow): Columns | undefined {
  try {
    return columnsOf(kind, body);
  } catch {
    return undefined;
  }
}

/** A chain without ends is one that was not begun. */
function verifyNothing(database: Database, anchors: readonly Anchor[], report: Report): number {
  const { rows } = database.row<{ rows: number }>("SELECT count(*) AS rows FROM records");
  if (rows > 0 || anchors.length > 0)
    report(
      1,
      "truncated",
      "The ends of the chain are gone: records were removed without a trace of how many.",
    );
  return rows;
}
