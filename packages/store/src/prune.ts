import { setTimeout as pause } from "node:timers/promises";
import { ToolrigError } from "@toolrig/core";
import {
  defined,
  isNeeded,
  type OpenWork,
  type Pruned,
  type Retention,
  retentionLimits,
} from "@toolrig/core/kit";
import type { SqliteArtifacts } from "./artifacts.ts";
import type { Database } from "./database/database.ts";
import type { StoreProblem } from "./database/store-error.ts";
import type { SqliteRecords } from "./records/records.ts";
import { IS_APPROVED_NOT_RUN } from "./waits.ts";

/** How many rows are looked at, and how long a transaction that removes should take: others wait for it. */
const PAGE = 1_000;
const STEP_MS = 10;
const SMALLEST_STEP = 100;
/** Other writers have the file for this many times as long as a step. */
const PAUSE_PER_STEP = 2;
const LONGEST_PAUSE_MS = 50;
/** A step that finds the file locked is tried again after so long, and for so long. */
const LOCKED_PAUSE_MS = 5;
const PATIENCE_MS = 60_000;
/** For how long an approval stays whose call no process runs: as long as `approvedNotRunning` lists it. */
const APPROVED_FOR_MS = 7 * 24 * 3_600_000;
/** Pages that are given back to the disk at once. */
const FREED_PAGES = 500;

interface Row {
  id: number;
  run_id: string | null;
  execution_id?: string;
}

interface Table {
  /** Rows that are old enough, in order of `id`, from one on: `$before`, `$after`, `$limit`. */
  old: string;
  remove: string;
}

/** An outcome stays as long as a wait of its execution: an approval without it would be that of a call that never ran. */
const LEDGER: Table = {
  old: `SELECT id, run_id, execution_id FROM ledger l
        WHERE id > $after AND state IN ('completed', 'failed') AND closed_at < $before
        AND NOT EXISTS (SELECT 1 FROM waits w WHERE w.execution_id = l.execution_id) ORDER BY id LIMIT $limit`,
  remove: "DELETE FROM ledger WHERE id = ? AND state IN ('completed', 'failed')",
};
const WAITS: Table = {
  old: `SELECT n AS id, run_id, execution_id FROM waits
        WHERE n > $after AND ended_at < $before AND next_at IS NULL ORDER BY n LIMIT $limit`,
  remove: "DELETE FROM waits WHERE n = ?",
};
const RUNS: Table = {
  old: `SELECT rowid AS id, run_id FROM runs
        WHERE rowid > $after AND ended = 1 AND updated_at < $before ORDER BY rowid LIMIT $limit`,
  remove: "DELETE FROM runs WHERE rowid = ? AND ended = 1",
};

/**
 * Removes what retention no longer asks for and no open work needs, in short transactions with pauses between them: other
 * processes, and other calls of this one, go on meanwhile. What is over once is never open again, so that what is open is
 * looked up once.
 */
export async function prune(
  database: Database,
  { records, artifacts }: { records: SqliteRecords; artifacts: SqliteArtifacts },
  retention: Retention,
  now: number,
): Promise<Pruned> {
  try {
    const pruned = await removeAll(database, { records, artifacts }, retentionLimits(retention, now), now);
    if (Object.values(pruned).some((count) => count > 0)) await shrink(database);
    return pruned;
  } finally {
    database.keepReserve();
  }
}

async function removeAll(
  database: Database,
  { records, artifacts }: { records: SqliteRecords; artifacts: SqliteArtifacts },
  limits: ReturnType<typeof retentionLimits>,
  now: number,
): Promise<Pruned> {
  const work = database.read(() => openWork(database, now));
  const removed = async (table: Table, before: number | undefined) =>
    before === undefined ? 0 : removeOld(database, table, before, work);
  const { before: endedBefore, ...recordLimits } = limits.records;
  // First, so that outcomes go after them.
  const waits = await removed(WAITS, limits.ledger.before);
  return {
    records: await inSteps(database, (size) =>
      records.pruneStep({ ...recordLimits, ...defined({ endedBefore }) }, size),
    ),
    artifacts: await pruneArtifacts(database, artifacts, limits.artifacts),
    ledger: await removed(LEDGER, limits.ledger.before),
    waits,
    runs: await removed(RUNS, limits.runs.before),
  };
}

function openWork(database: Database, now: number): OpenWork {
  const ids = (sql: string, ...values: number[]) =>
    new Set(
      database
        .prepare<{ id: string }>(sql)
        .all(...values)
        .map(({ id }) => id),
    );
  return {
    runs: ids("SELECT run_id AS id FROM runs WHERE ended = 0"),
    executions: ids(
      `SELECT execution_id AS id FROM ledger WHERE state IN ('open', 'waiting', 'unknown')
       UNION SELECT execution_id FROM waits WHERE ended_at IS NULL
       UNION SELECT execution_id FROM waits w WHERE ${IS_APPROVED_NOT_RUN}`,
      now - APPROVED_FOR_MS,
      now,
    ),
  };
}

async function removeOld(database: Database, table: Table, before: number, work: OpenWork): Promise<number> {
  let removed = 0;
  for (let after = 0; ; ) {
    const rows = database.read(() => database.prepare<Row>(table.old).all({ after, before, limit: PAGE }));
    after = rows.at(-1)?.id ?? after;
    const old = rows.filter(
      (row) => !isNeeded(work, { runId: row.run_id, ...defined({ executionId: row.execution_id }) }),
    );
    removed += await removeRows(
      database,
      table.remove,
      old.map(({ id }) => id),
    );
    if (rows.length < PAGE) return removed;
  }
}

/** One row after the other, as many in a transaction as take the time of one. */
async function removeRows(database: Database, sql: string, ids: readonly number[]): Promise<number> {
  let next = 0;
  return inSteps(database, () => {
    if (next >= ids.length) return { removed: 0, more: false };
    const removed = database.write("grouped", () => {
      const until = performance.now() + STEP_MS;
      let changes = 0;
      for (let id = ids[next]; id !== undefined && performance.now() < until; id = ids[next]) {
        changes += Number(database.prepare(sql).run(id).changes);
        next += 1;
      }
      return changes;
    });
    return { removed, more: next < ids.length };
  });
}

/** An artifact that an open run or call was told of stays: it is read by its name. */
async function pruneArtifacts(
  database: Database,
  artifacts: SqliteArtifacts,
  { before, maxBytes }: { before?: number; maxBytes?: number },
): Promise<number> {
  if (before === undefined && maxBytes === undefined) return 0;
  const named = database.read(() => artifactsInOpenWork(database));
  const old = database.read(() => artifacts.old({ ...defined({ usedBefore: before, maxBytes }) }));
  const ids = old.filter(({ name }) => !named.has(name)).map(({ id }) => id);
  return removeRows(database, "DELETE FROM artifacts WHERE id = ?", ids);
}

function artifactsInOpenWork(database: Database): Set<string> {
  const texts = database.prepare<{ text: string | null }>(
    `SELECT j.body AS text FROM journal j JOIN runs r ON r.run_id = j.run_id WHERE r.ended = 0
     UNION ALL SELECT args FROM ledger WHERE state IN ('open', 'waiting', 'unknown')
     UNION ALL SELECT body FROM waits WHERE ended_at IS NULL`,
  );
  const named = new Set<string>();
  for (const { text } of texts.iterate())
    for (const [name] of text?.matchAll(/art_[0-9a-f]{40}/g) ?? []) named.add(name);
  return named;
}

/** Gives free pages back to the disk. */
async function shrink(database: Database): Promise<void> {
  const free = () => database.row<{ freelist_count: number }>("PRAGMA freelist_count").freelist_count;
  await inSteps(database, () => {
    const before = free();
    if (before === 0) return { removed: 0, more: false };
    database.write("grouped", () => database.exec(`PRAGMA incremental_vacuum(${FREED_PAGES})`));
    return { removed: 0, more: free() < before };
  });
}

interface Step {
  removed: number;
  more: boolean;
}

/** Undefined where it is to be tried again: other writers hold the file, for as long as `until`, or the disk was full and has room now. */
function attempt(database: Database, step: () => Step, until: number): Step | undefined {
  try {
    return database.withPatience(0, step);
  } catch (error) {
    const problem = ToolrigError.isInstance(error)
      ? (error.details as { problem?: StoreProblem }).problem
      : undefined;
    const again =
      problem === "locked" ? performance.now() < until : problem === "full" && database.useReserve();
    if (!again) throw error;
    return undefined;
  }
}

/**
 * Between two steps others may write for twice as long as the step kept them from it. `size` grows or shrinks until a step
 * takes `STEP_MS`.
 */
async function inSteps(database: Database, step: (size: number) => Step): Promise<number> {
  let size = SMALLEST_STEP;
  let until = performance.now() + PATIENCE_MS;
  for (let removed = 0; ; ) {
    const done = attempt(database, () => step(size), until);
    if (done === undefined) {
      await pause(LOCKED_PAUSE_MS);
      continue;
    }
    until = performance.now() + PATIENCE_MS;
    removed += done.removed;
    if (!done.more) return removed;
    const { heldMs } = database;
    // What a step writes to the log must fit into what the one before made free.
    if (database.isOutOfSpace) database.mergeLog();
    const grown = Math.round(size * Math.min(2, Math.max(0.5, STEP_MS / heldMs)));
    size = Math.min(PAGE * 5, Math.max(SMALLEST_STEP, grown));
    await pause(Math.min(LONGEST_PAUSE_MS, Math.max(1, heldMs * PAUSE_PER_STEP)));
  }
}
