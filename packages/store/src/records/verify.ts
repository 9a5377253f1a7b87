import type { Database } from "../database/database.ts";
import { type Chain, type Ends, hex } from "./chain.ts";
import { columnsOf } from "./columns.ts";
import type { RecordRow } from "./query.ts";

/** A state of the chain that was noted earlier, somewhere else: `head()` gives it. */
export interface Anchor {
  seq: number;
  hash: string;
}

export interface AuditProblem {
  /** The row at which it shows. */
  seq: number;
  problem: "changed" | "missing" | "moved" | "truncated" | "extra" | "resealed";
  message: string;
}

export interface Audit {
  ok: boolean;
  /** How many rows were looked at. */
  checked: number;
  /** Rows before this one were removed by retention. */
  firstSeq: number;
  lastSeq: number;
  /** In order of rows; at most `MAX_PROBLEMS`. */
  problems: AuditProblem[];
}

const MAX_PROBLEMS = 100;

interface Suspect {
  row: RecordRow;
  previous: Uint8Array;
}

/** Goes through the whole chain, row by row. Finds what was changed, removed, moved or cut off, and where. */
export function verify(database: Database, chain: Chain, keyed: boolean, anchors: readonly Anchor[]): Audit {
  const problems: AuditProblem[] = [];
  const ends = chain.ends();
  if (ends === undefined) return withoutEnds(database, anchors);
  const audit = { ok: true, checked: 0, firstSeq: ends.base.seq + 1, lastSeq: ends.head.seq, problems };
  const report = (seq: number, problem: AuditProblem["problem"], message: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ seq, problem, message });
  };
  if (ends.keyed !== keyed) {
    const message = ends.keyed
      ? "The chain is sealed with a key; pass auditKey to verify it."
      : "The chain was not made with the key that was given.";
    return { ...audit, ok: false, problems: [{ seq: ends.head.seq, problem: "resealed", message }] };
  }
  if (hex(chain.seal(ends)) !== hex(ends.seal))
    report(ends.head.seq, "resealed", "The ends of the chain were changed: their seal does not match.");
  const { checked, last } = walk(database, chain, ends, report, anchors);
  if (last < ends.head.seq)
    report(last + 1, "truncated", `Rows ${last + 1} to ${ends.head.seq} were cut off the end.`);
  for (const { seq } of anchors) {
    if (seq > ends.head.seq)
      report(seq, "truncated", `The chain once reached row ${seq} and now ends at ${ends.head.seq}.`);
  }
  problems.sort((a, b) => a.seq - b.seq);
  return { ...audit, ok: problems.length === 0, checked };
}

type Report = (seq: number, problem: AuditProblem["problem"], message: string) => void;

function walk(
  database: Database,
  chain: Chain,
  { base, head }: Ends,
  report: Report,
  anchors: readonly Anchor[],
): { checked: number; last: number } {
  const noted = new Map(anchors.map(({ seq, hash }) => [seq, hash]));
  const suspects: Suspect[] = [];
  let { seq: last, hash: previous, total, at } = base;
  let checked = 0;
  for (const row of database.prepare<RecordRow>("SELECT * FROM records ORDER BY seq").iterate()) {
    checked += 1;
    const gap = row.seq > last + 1;
    if (row.seq <= base.seq || row.seq > head.seq)
      report(row.seq, "extra", `Row ${row.seq} is not part of the chain.`);
    else if (gap) report(last + 1, "missing", `Rows ${last + 1} to ${row.seq - 1} are missing.`);
    // What comes after a gap cannot be checked against what is gone; the chain goes on from its own hash.
    else if (hex(chain.digest(previous, row.seq, row.kind, row.body)) !== hex(row.hash))
      suspects.push({ row, previous });
    else if (!matchesColumns(database, row, { total, at }))
      report(row.seq, "changed", `The columns of row ${row.seq} do not agree with its record.`);
    const anchor = noted.get(row.seq);
    if (anchor !== undefined && anchor !== hex(row.hash))
      report(row.seq, "changed", `Row ${row.seq} is not the one that was noted earlier.`);
    ({ seq: last, hash: previous, total, at } = row);
  }
  const { strays } = database.row<{ strays: number }>(
    "SELECT count(*) AS strays FROM record_paths WHERE seq NOT IN (SELECT seq FROM records)",
  );
  if (strays > 0) report(last, "extra", `${strays} paths of effects belong to no record.`);
  if (last === head.seq && hex(previous) !== hex(head.hash))
    report(last, "changed", `Row ${last} does not agree with the end of the chain.`);
  explain(chain, suspects, report);
  return { checked, last: Math.min(last, head.seq) };
}

/** A row that fits the place of another was moved; any other was changed. */
function explain(chain: Chain, suspects: readonly Suspect[], report: Report): void {
  const some = suspects.slice(0, MAX_PROBLEMS);
  for (const { row, previous } of some) {
    const origin = some.find(({ row: other, previous: before }) => {
      if (other.seq === row.seq) return false;
      const there = hex(chain.digest(before, other.seq, row.kind, row.body));
      return there === hex(other.hash) || there === hex(row.hash);
    });
    const swapped = some.find(
      ({ row: other }) =>
        other.seq !== row.seq &&
        hex(chain.digest(previous, row.seq, other.kind, other.body)) === hex(other.hash),
    );
    const place = (origin ?? swapped)?.row.seq;
    if (place === undefined) report(row.seq, "changed", `Row ${row.seq} does not match its hash.`);
    else report(row.seq, "moved", `Row ${row.seq} was moved: its place is ${place}, or the other way round.`);
  }
}

function matchesColumns(database: Database, row: RecordRow, before: { total: number; at: number }): boolean {
  const { tool, kind, executionId, runId, at, paths } = columnsOf(row.kind, row.body);
  const same =
    row.tool === tool &&
    row.kind === kind &&
    row.execution_id === executionId &&
    (row.run_id ?? undefined) === runId &&
    row.at === Math.max(before.at, at) &&
    row.total === before.total + row.body.length;
  if (!same || paths.length === 0) return same;
  const stored = database
    .prepare<{ path: string }>("SELECT path FROM record_paths WHERE seq = ? ORDER BY path")
    .all(row.seq)
    .map(({ path }) => path);
  return stored.length === paths.length && [...paths].sort().every((path, index) => path === stored[index]);
}

function withoutEnds(database: Database, anchors: readonly Anchor[]): Audit {
  const { rows } = database.row<{ rows: number }>("SELECT count(*) AS rows FROM records");
  const audit = { checked: rows, firstSeq: 1, lastSeq: 0 };
  if (rows === 0 && anchors.length === 0) return { ...audit, ok: true, problems: [] };
  const message = "The ends of the chain are gone: records were removed without a trace of how many.";
  return { ...audit, ok: false, problems: [{ seq: 1, problem: "truncated", message }] };
}
