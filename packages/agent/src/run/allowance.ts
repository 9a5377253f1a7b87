/** What budgets count: calls that the executor carried out, and tokens of responses. */
export interface Spent {
  calls: number;
  tokens: number;
}

/** The budget that has least left. */
export interface Tightest {
  left: number;
  limit: number;
  /** Whether it is that of a run which this one is part of. */
  outer: boolean;
}

/**
 * What a run may spend, and what it has spent together with the runs that its calls started. Such a run spends of its own
 * budgets and of those around it at once, so that runs beside each other cannot both take what is left.
 */
export class Allowance {
  readonly #runId: string;
  readonly #limits: Readonly<Spent>;
  readonly #outer: Allowance | undefined;
  readonly #spent: Spent = { calls: 0, tokens: 0 };
  /** What the runs within have taken here. */
  readonly #within = new Map<string, Spent>();
  /** What the outer one has counted of an earlier life of the run, and is not to count again. */
  readonly #counted: Spent;
  #unwritten: Spent | undefined;

  /** `continued`: the run is taken up, and will spend again what it had spent by then. */
  constructor(
    runId: string,
    limits: Readonly<Spent>,
    outer?: { readonly allowance: Allowance; readonly continued: boolean },
  ) {
    this.#runId = runId;
    this.#limits = limits;
    this.#outer = outer?.allowance;
    const counted = outer?.continued === true ? outer.allowance.#within.get(runId) : undefined;
    this.#counted = { calls: 0, tokens: 0, ...counted };
  }

  /** By the run and by all runs within it. */
  get spent(): Readonly<Spent> {
    return this.#spent;
  }

  tightest(kind: keyof Spent): Tightest {
    const limit = this.#limits[kind];
    const own = { left: limit - this.#spent[kind], limit, outer: false };
    const outer = this.#outer?.tightest(kind);
    return outer !== undefined && outer.left < own.left ? { ...outer, outer: true } : own;
  }

  /** Calls are taken before they run. Those that turn out to be free are given back, as a negative number. */
  spend({ calls = 0, tokens = 0 }: Partial<Spent>): void {
    this.#spent.calls += calls;
    this.#spent.tokens += tokens;
    if (this.#outer === undefined) return;
    const anew = { calls: this.#anew("calls", calls), tokens: this.#anew("tokens", tokens) };
    if (anew.calls !== 0 || anew.tokens !== 0) this.#outer.spendWithin(this.#runId, anew);
  }

  /** What is spent from here on was not spent in an earlier life. */
  caughtUp(): void {
    this.#counted.calls = 0;
    this.#counted.tokens = 0;
  }

  #anew(kind: keyof Spent, amount: number): number {
    const known = Math.max(0, Math.min(this.#counted[kind], amount));
    this.#counted[kind] -= known;
    return amount - known;
  }

  /** A run within has spent so much more. */
  spendWithin(runId: string, { calls, tokens }: Spent): void {
    for (const sum of [this.#sumOf(runId), this.#toWrite()]) {
      sum.calls += calls;
      sum.tokens += tokens;
    }
    this.spend({ calls, tokens });
  }

  /** Whether a run within has spent anything here. */
  knows(runId: string): boolean {
    return this.#within.has(runId);
  }

  /** What runs within have spent since this was last asked; undefined for nothing. */
  takeUnwritten(): Spent | undefined {
    const spent = this.#unwritten;
    this.#unwritten = undefined;
    return spent;
  }

  #sumOf(runId: string): Spent {
    let sum = this.#within.get(runId);
    if (sum === undefined) {
      sum = { calls: 0, tokens: 0 };
      this.#within.set(runId, sum);
    }
    return sum;
  }

  #toWrite(): Spent {
    this.#unwritten ??= { calls: 0, tokens: 0 };
    return this.#unwritten;
  }
}
