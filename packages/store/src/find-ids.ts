import type { Database } from "./database/database.ts";

/** Ids that a person may have meant. */
export interface FoundIds {
  executions: string[];
  runs: string[];
}

const MOST = 10;
/** Fewer characters at the end of an id say too little. */
const SHORTEST_ENDING = 4;

const EXECUTIONS = [
  "SELECT execution_id AS id FROM records",
  "SELECT execution_id AS id FROM ledger",
  "SELECT execution_id AS id FROM waits",
];
const RUNS = ["SELECT run_id AS id FROM runs", "SELECT run_id AS id FROM records WHERE run_id IS NOT NULL"];

/** How lists for people shorten an id: how it begins behind its prefix, and its number. "86dcfd.5". */
const SHORTENED = /^(?:([a-z]+)_)?([0-9a-f]+)\.([0-9a-z]{1,8})$/;

/** The ids that are `typed`; where none is, those that begin with it, are shortened to it, or end with it. At most ten of each. */
export function findIds(database: Database, typed: string, endings: boolean): FoundIds {
  return database.read(() => {
    const exact = bothWhere(database, "id = $typed", { $typed: typed });
    if (exact.executions.length + exact.runs.length > 0) return exact;
    if (typed === "") return { executions: [], runs: [] };
    const begin = bothWhere(database, "id >= $typed AND id < $after", {
      $typed: typed,
      $after: `${typed}\u{10ffff}`,
    });
    if (begin.executions.length + begin.runs.length > 0) return begin;
    if (!endings || typed.length < SHORTEST_ENDING) return begin;
    const [, prefix = "*", start, number] = SHORTENED.exec(typed) ?? [];
    const short = number && `${prefix}_${start}*.${number.padStart(8, "0")}`;
    const shortened = short ? bothWhere(database, "id GLOB $short", { $short: short }) : begin;
    if (shortened.executions.length + shortened.runs.length > 0) return shortened;
    return bothWhere(database, "substr(id, -length($typed)) = $typed", { $typed: typed });
  });
}

function bothWhere(database: Database, condition: string, values: Record<string, string>): FoundIds {
  const where = (sources: readonly string[]) => {
    const parts = sources.map((source) => `SELECT id FROM (${source}) WHERE ${condition}`);
    const sql = `SELECT DISTINCT id FROM (${parts.join(" UNION ALL ")}) LIMIT ${MOST}`;
    return database
      .prepare<{ id: string }>(sql)
      .all(values)
      .map(({ id }) => id);
  };
  return { executions: where(EXECUTIONS), runs: where(RUNS) };
}
