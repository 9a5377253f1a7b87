import type { Principal } from "@toolrig/core";
import { newId } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import type { Caller } from "../http/route.ts";
import type { ServedRig } from "../served-rig.ts";
import { Recent } from "./recent.ts";

const KEPT = 10_000;
/** Stands in every id that this process makes: whoever has seen one can tell the next. */
const [OWN_PART = ""] = newId("").split(".");

/** Whose a run is. Without an id it is a program's own, made on nobody's behalf. */
export interface RunOwner {
  readonly id?: string;
}

/**
 * On whose behalf runs are. What is said to a run and what is part of it counts as its owner's: calls, grants, budgets, what it has
 * read. So nobody else says it.
 */
export class RunOwners {
  readonly #rig: ServedRig;
  readonly #started = new Recent<RunOwner>(KEPT);
  /** Ids that callers made up. Whatever is a run by that id counts before. */
  readonly #claimed = new Recent<RunOwner>(KEPT);

  constructor(rig: ServedRig) {
    this.#rig = rig;
  }

  /** A run that was started here, which the journal may not know of yet. */
  started(runId: string, { id }: Principal): void {
    this.#started.set(runId, { id });
  }

  /** Undefined for an id that nobody has used. */
  async of(runId: string): Promise<RunOwner | undefined> {
    const started = this.#started.get(runId);
    if (started !== undefined) return started;
    const { store, runs, waits } = this.#rig;
    const run = store?.journal.summary(runId);
    if (run !== undefined) return ownerOf(run.header.principal);
    if (runs?.has(runId) === true) return {};
    const claimed = this.#claimed.get(runId);
    if (claimed !== undefined) return claimed;
    const record = store?.records.query({ runId, order: "oldest", limit: 1 }).records[0];
    if (record !== undefined) return ownerOf(record.principal);
    const [wait] = await waits.list({ runId, limit: 1 });
    return wait && ownerOf(wait.principal);
  }

  /**
   * Throws a problem unless a call of theirs may be part of the run: the id is theirs, or nobody has used it and it is not one that
   * a run to come may get.
   */
  async join(runId: string, caller: Caller): Promise<void> {
    const found = await this.of(runId);
    const owner = found ?? this.#claimed.get(runId) ?? (runId.includes(OWN_PART) ? {} : undefined);
    if (owner === undefined) this.#claimed.set(runId, { id: caller.acting.id });
    else if (!isTheirs(owner, caller))
      throw new RequestProblem(
        "SCOPE_MISSING",
        "The run is somebody else's: leave runId out, or take another.",
      );
  }

  /** Throws a problem unless the run is theirs, or they have a scope that is enough. */
  async check(runId: string, caller: Caller, enough?: "read" | "approve"): Promise<RunOwner> {
    const owner = (await this.of(runId)) ?? {};
    if (isTheirs(owner, caller) || caller.scopes.some((scope) => scope === enough)) return owner;
    const others = enough === undefined ? '"admin" may' : `"${enough}" or "admin" may`;
    throw new RequestProblem(
      "SCOPE_MISSING",
      `The run is somebody else's: whoever started it, or has ${others}.`,
    );
  }
}

function ownerOf(principal: Principal | undefined): RunOwner {
  return principal === undefined ? {} : { id: principal.id };
}

/** Whoever may do everything may do this, too. */
function isTheirs(owner: RunOwner, { acting, scopes }: Caller): boolean {
  return owner.id === acting.id || scopes.includes("admin");
}
