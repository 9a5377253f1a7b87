import type { Duration } from "@toolrig/core";
import { check, declareOptions, defined, type OptionTable, option, parseDuration } from "@toolrig/core/kit";
import type { SqliteArtifacts } from "./artifacts.ts";
import type { Database } from "./database/database.ts";
import type { SqliteRecords } from "./records/records.ts";

/** How long things are kept. What is not named is kept for ever. */
export interface Retention {
  records?: { maxAge?: Duration; maxBytes?: number };
  artifacts?: { maxAge?: Duration; maxBytes?: number };
  /** Outcomes of side effects, and waits that ended: an execution id is protected from running again for as long. */
  ledger?: { maxAge: Duration };
  /** Runs that are over. */
  runs?: { maxAge: Duration };
}

/** How many of each were removed. */
export type Pruned = Record<keyof Retention | "waits", number>;

const sizedOptions = declareOptions("records", {
  maxAge: option.duration({ zero: true, long: true }),
  maxBytes: option.count(0),
} satisfies OptionTable<NonNullable<Retention["records"]>>);
const agedOptions = declareOptions("runs", {
  maxAge: option.duration({ required: true, zero: true, long: true }),
} satisfies OptionTable<NonNullable<Retention["runs"]>>);
const retentionOptions = declareOptions("prune", {
  records: option.group(sizedOptions),
  artifacts: option.group(sizedOptions),
  ledger: option.group(agedOptions),
  runs: option.group(agedOptions),
} satisfies OptionTable<Retention>);

/** An answer is kept for as long as its call or its run may still ask for it. */
const ENDED_WAITS = `DELETE FROM waits WHERE ended_at < ? AND next_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM waits w WHERE w.execution_id = waits.execution_id AND w.ended_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM ledger l WHERE l.execution_id = waits.execution_id AND l.state IN ('open', 'waiting'))
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.run_id = waits.run_id AND r.ended = 0)`;

/** Everything is checked before anything is removed: a wrong limit would remove more than was meant. */
function checkRetention(retention: Retention): void {
  check.object("retention", retention, "what is kept and for how long, such as { records: { maxAge } }");
  retentionOptions.check(retention);
}

export function prune(
  database: Database,
  { records, artifacts }: { records: SqliteRecords; artifacts: SqliteArtifacts },
  retention: Retention,
  now: number,
): Pruned {
  checkRetention(retention);
  const before = (maxAge: Duration | undefined, field: string) =>
    maxAge === undefined ? undefined : now - parseDuration(maxAge, field);
  const remove = (sql: string, maxAge: Duration | undefined, field: string) => {
    const limit = before(maxAge, field);
    if (limit === undefined) return 0;
    return database.write("grouped", () => Number(database.prepare(sql).run(limit).changes));
  };
  const limits = (name: "records" | "artifacts") => {
    const { maxAge, maxBytes } = retention[name] ?? {};
    return { time: before(maxAge, `${name}.maxAge`), ...defined({ maxBytes }) };
  };
  const { time: endedBefore, ...recordLimits } = limits("records");
  const { time: usedBefore, ...artifactLimits } = limits("artifacts");
  return {
    records: records.prune({ ...recordLimits, ...defined({ endedBefore }) }),
    artifacts: artifacts.prune({ ...artifactLimits, ...defined({ usedBefore }) }),
    ledger: remove(
      "DELETE FROM ledger WHERE state NOT IN ('open', 'waiting') AND closed_at < ?",
      retention.ledger?.maxAge,
      "ledger.maxAge",
    ),
    waits: remove(ENDED_WAITS, retention.ledger?.maxAge, "ledger.maxAge"),
    runs: remove(
      "DELETE FROM runs WHERE ended = 1 AND updated_at < ?",
      retention.runs?.maxAge,
      "runs.maxAge",
    ),
  };
}
