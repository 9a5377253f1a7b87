/** A set of keys to hold together, each for reading or writing. */
export type LockSet = ReadonlyMap<string, "read" | "write">;

interface Claim {
  locks: LockSet;
  owner: object;
  /** Owners whose locks do not conflict with this claim: the calls it was made from. */
  lineage: readonly object[];
  grant: () => void;
}

/**
 * Read and write locks over named resources. A claim takes all of its keys at once or waits, and never overtakes an
 * earlier claim it conflicts with, so there is neither deadlock nor starvation. Only calls made from inside calls that
 * hold locks can wait for each other; their callers' deadlines end that.
 */
export class LockTable {
  readonly #held = new Set<Claim>();
  readonly #waiting = new Set<Claim>();

  /** Resolves with how to release, or undefined, holding nothing, when the signal aborts first. */
  acquire(
    locks: LockSet,
    owner: object,
    lineage: readonly object[],
    interrupted: () => AbortSignal,
  ): (() => void) | Promise<(() => void) | undefined> {
    const claim: Claim = { locks, owner, lineage, grant: () => {} };
    const release = () => this.#release(claim);
    if (this.#isFree(claim, this.#waiting)) {
      this.#held.add(claim);
      return release;
    }
    const signal = interrupted();
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#waiting.delete(claim);
        this.#wake();
        resolve(undefined);
      };
      claim.grant = () => {
        signal.removeEventListener("abort", onAbort);
        resolve(release);
      };
      this.#waiting.add(claim);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #release(claim: Claim): void {
    if (this.#held.delete(claim)) this.#wake();
  }

  #wake(): void {
    const ahead = new Set<Claim>();
    for (const claim of this.#waiting) {
      if (this.#isFree(claim, ahead)) {
        this.#waiting.delete(claim);
        this.#held.add(claim);
        claim.grant();
      } else {
        ahead.add(claim);
      }
    }
  }

  #isFree(claim: Claim, ahead: ReadonlySet<Claim>): boolean {
    for (const other of this.#held) if (conflicts(claim, other)) return false;
    // A claim made from inside a held call must not wait behind outsiders that wait for that very call.
    if (claim.lineage.length > 0) return true;
    for (const other of ahead) if (conflicts(claim, other)) return false;
    return true;
  }
}

function conflicts(claim: Claim, other: Claim): boolean {
  if (claim.lineage.includes(other.owner)) return false;
  for (const [key, mode] of claim.locks) {
    const held = other.locks.get(key);
    if (held !== undefined && (held === "write" || mode === "write")) return true;
  }
  return false;
}
