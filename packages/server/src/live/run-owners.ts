import type { Principal } from "@toolrig/core";
import { RequestProblem } from "../http/problem.ts";
import type { Caller } from "../http/route.ts";
import type { ServedRig } from "../served-rig.ts";
import { Recent } from "./recent.ts";

const KEPT = 10_000;

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
  /** Of runs that were started here, and of ids that callers made up. */
  readonly #noted = new Recent<RunOwner>(KEPT);

  constructor(rig: ServedRig) {
    this.#rig = rig;
  }

  note(runId: string, { id }: Principal): void {
    this.#noted.set(runId, { id });
  }

  /** Undefined for an id that nobody has used. */
  async of(runId: string): Promise<RunOwner | undefined> {
    const noted = this.#noted.get(runId);
    if (noted !== undefined) return noted;
    const { store, runs, waits } = this.#rig;
    const run = store?.journal.summary(runId);
    if (run !== undefined) return ownerOf(run.header.principal);
    if (runs?.has(runId) === true) return {};
    const record = store?.records.query({ runId, order: "oldest", limit: 1 }).records[0];
    if (record !== undefined) return ownerOf(record.principal);
    const [wait] = await waits.list({ runId, limit: 1 });
    return wait && ownerOf(wait.principal);
  }

  /** Throws a problem unless a call of theirs may be part of the run: the id is theirs, or nobody has used it. */
  async join(runId: string, caller: Caller): Promise<void> {
    const found = await this.of(runId);
    const owner = this.#noted.get(runId) ?? found;
    if (owner === undefined) this.note(runId, caller.acting);
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
