import type { Database } from "../database/database.ts";

/** The number of the first row that is as late as `time`. Rows are in order of time, so bisection finds it. */
export function seqAt(database: Database, time: number): number {
  return bisect(database, "at", (at) => at >= time);
}

/** The first row for which a value that never falls along the chain is far enough; one past the last if none is. */
export function bisect(
  database: Database,
  column: "at" | "total",
  isFarEnough: (value: number) => boolean,
): number {
  return database.read(() => {
    // Two questions, because SQLite looks at every row to answer both at once.
    const first = database.row<{ seq: number | null }>("SELECT min(seq) AS seq FROM records");
    const last = database.row<{ seq: number | null }>("SELECT max(seq) AS seq FROM records");
    if (first.seq === null || last.seq === null) return 0;
    const next = `SELECT seq, ${column} AS value FROM records WHERE seq >= ? LIMIT 1`;
    let low = first.seq;
    let high = last.seq + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = database.row<{ seq: number; value: number }>(next, middle);
      if (isFarEnough(row.value)) high = middle;
      else low = row.seq + 1;
    }
    return low;
  });
}
