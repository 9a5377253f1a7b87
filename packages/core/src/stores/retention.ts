import { check } from "../options/check.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { type Duration, parseDuration } from "../options/duration.ts";
import { option } from "../options/kinds.ts";

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

/** What is older than this may go, in epoch milliseconds, and what is beyond so many bytes. Absent: nothing does. */
export type Limits = { [Part in keyof Retention]-?: { before?: number; maxBytes?: number } };

/** Throws `OPTION_INVALID`. Everything is checked before anything is removed: a wrong limit would remove more than was meant. */
export function retentionLimits(retention: Retention, now: number): Limits {
  check.object("retention", retention, "what is kept and for how long, such as { records: { maxAge } }");
  retentionOptions.check(retention);
  const limits: Limits = { records: {}, artifacts: {}, ledger: {}, runs: {} };
  for (const name of ["records", "artifacts", "ledger", "runs"] as const) {
    const { maxAge, maxBytes }: { maxAge?: Duration; maxBytes?: number } = retention[name] ?? {};
    if (maxAge !== undefined) limits[name].before = now - parseDuration(maxAge, `${name}.maxAge`);
    if (maxBytes !== undefined) limits[name].maxBytes = maxBytes;
  }
  return limits;
}

/** What is not over in a store: runs without an end; executions that are open, wait, or are in doubt. */
export interface OpenWork {
  runs: ReadonlySet<string>;
  executions: ReadonlySet<string>;
}

/**
 * The rule of retention, for every store: what belongs to open work stays, however old it is, because the work may still ask for
 * it. A run that is resumed asks for the outcomes of its calls; one that lost them would repeat side effects. Ids say what
 * they are within: "run_1/step" is within "run_1", and "exec_1.pay.1" within "exec_1". The audit's records are not asked for
 * by any run and go by age and size alone.
 */
export function isNeeded(
  { runs, executions }: OpenWork,
  of: { runId?: string | null; executionId?: string },
): boolean {
  return (
    isWithin(of.runId ?? "", runs) ||
    isWithin(of.executionId ?? "", executions) ||
    isWithin(of.executionId ?? "", runs)
  );
}

function isWithin(id: string, open: ReadonlySet<string>): boolean {
  if (open.has(id)) return true;
  for (const { index } of id.matchAll(/[./]/g)) if (open.has(id.slice(0, index))) return true;
  return false;
}
