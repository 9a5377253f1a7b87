import { ToolrigError } from "@toolrig/core";
import type { Wait } from "@toolrig/core/kit";
import type { Store } from "@toolrig/store";
import { NotFound } from "../shell/not-found.ts";

/** Stands for the latest. */
const LAST = "@last";

type Kind = "execution" | "run";

export interface Found {
  kind: Kind;
  id: string;
}

const LISTS: Record<Kind, string> = { execution: "toolrig log", run: "toolrig runs" };

/**
 * The execution or run that was meant by its id, the beginning or the end of one, or `@last`: of the first kind that has one.
 * Undefined when there is none. Throws `OPTION_INVALID` when it may be one of several.
 */
export function findId(store: Store, typed: string, kinds: readonly Kind[]): Found | undefined {
  if (typed === LAST) return lastOf(store, kinds);
  const found = store.find(typed);
  const ids: Record<Kind, readonly string[]> = { execution: found.executions, run: found.runs };
  // An execution and a run of one process often end alike.
  const kind = kinds.find((each) => ids[each].length > 0);
  const all = kind === undefined ? [] : ids[kind].map((id): Found => ({ kind, id }));
  if (all.length <= 1) return all[0];
  const some = all.map(({ id }) => id).join(", ");
  throw new ToolrigError("OPTION_INVALID", `"${typed}" may be one of several: ${some}. Type more of it.`);
}

/** The id itself, where the command cannot do without. Throws `NotFound` when there is none. */
export function neededId(store: Store, typed: string, kind: Kind): string {
  const found = findId(store, typed, [kind]);
  if (found !== undefined) return found.id;
  throw new NotFound(`There is no ${kind} ${typed}. Run "${LISTS[kind]}" for those there are.`);
}

/** As `neededId`, for what ends a wait: `@last` is the latest that waits for one of these. */
export function waitingId(store: Store, typed: string, kinds: readonly Wait["kind"][]): string {
  if (typed !== LAST) return neededId(store, typed, "execution");
  const open = store.waits.list({ open: true }).filter(({ kind }) => kinds.includes(kind));
  const last = open.reduce<Wait | undefined>(
    (latest, each) => (latest === undefined || each.createdAt >= latest.createdAt ? each : latest),
    undefined,
  );
  if (last !== undefined) return last.executionId;
  throw new NotFound(`Nothing waits for ${kinds.join(" or ")} now. "toolrig waiting" lists what does.`);
}

function lastOf({ records, journal }: Store, kinds: readonly Kind[]): Found | undefined {
  const [record] = kinds.includes("execution") ? records.query({ limit: 1 }).records : [];
  if (record !== undefined) return { kind: "execution", id: record.executionId };
  const [run] = kinds.includes("run") ? journal.runs({ limit: 1 }) : [];
  return run === undefined ? undefined : { kind: "run", id: run.header.runId };
}
