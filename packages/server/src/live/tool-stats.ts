import type { FailureKind } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { blameOf } from "../views/blame.ts";
import type { ToolStats } from "../wire.ts";

/** Two hours in steps of five minutes. */
const STEP_MS = 300_000;
const STEPS = 24;
/** Four bins an octave from a tenth of a millisecond: a percentile is right within a fifth. */
const BINS = 104;
const SMALLEST_MS = 0.1;
const AN_OCTAVE = 4;
const MAX_TOOLS = 5_000;
const MAX_USERS = 50;

interface Step {
  number: number;
  calls: number;
  failures: number;
  bins: Uint32Array;
}

interface Book {
  calls: number;
  failures: number;
  byBlame: Map<string, number>;
  lastUsedAt: number;
  steps: Step[];
  users: Map<string, { calls: number; lastAt: number }>;
}

/** What is counted of one call. */
export interface CountedCall {
  name: string;
  endedAt: number;
  durationMs: number;
  failure?: FailureKind | undefined;
  /** The principal, or else the run. */
  user?: string | undefined;
}

/** How often each tool was called and what came of it. Costs the same however many calls there were. */
export class StatsBook {
  readonly #books = new Map<string, Book>();

  count({ name, endedAt, durationMs, failure, user }: CountedCall): void {
    // A name that a caller made up is no tool.
    if (failure === "not_found") return;
    const book = this.#book(name);
    if (book === undefined) return;
    const step = stepAt(book, Math.floor(endedAt / STEP_MS));
    book.calls += 1;
    book.lastUsedAt = Math.max(book.lastUsedAt, endedAt);
    const bin = binOf(durationMs);
    if (step !== undefined) {
      step.calls += 1;
      step.bins[bin] = (step.bins[bin] ?? 0) + 1;
    }
    if (failure !== undefined) {
      book.failures += 1;
      if (step !== undefined) step.failures += 1;
      const blame = blameOf(failure);
      book.byBlame.set(blame, (book.byBlame.get(blame) ?? 0) + 1);
    }
    if (user !== undefined) countUser(book.users, user, endedAt);
  }

  of(name: string, now: number): ToolStats {
    const book = this.#books.get(name);
    const last = Math.floor(now / STEP_MS);
    const steps = Array.from({ length: STEPS }, (_, index) =>
      book?.steps.find(({ number }) => number === last - STEPS + 1 + index),
    );
    const all = new Uint32Array(BINS);
    for (const step of steps)
      for (const [bin, count] of (step?.bins ?? all).entries())
        if (step !== undefined) all[bin] = (all[bin] ?? 0) + count;
    const p50 = percentile(all, 0.5);
    const p95 = percentile(all, 0.95);
    return {
      calls: book?.calls ?? 0,
      failures: book?.failures ?? 0,
      byBlame: Object.fromEntries(book?.byBlame ?? []),
      ...(p50 !== null && { p50Ms: p50 }),
      ...(p95 !== null && { p95Ms: p95 }),
      ...defined({ lastUsedAt: book?.lastUsedAt }),
      trend: {
        stepMs: STEP_MS,
        calls: steps.map((step) => step?.calls ?? 0),
        failures: steps.map((step) => step?.failures ?? 0),
        p50: steps.map((step) => (step === undefined ? null : percentile(step.bins, 0.5))),
        p95: steps.map((step) => (step === undefined ? null : percentile(step.bins, 0.95))),
      },
    };
  }

  /** Who called a tool, most first. */
  users(name: string): { id: string; calls: number; lastAt: number }[] {
    return Array.from(this.#books.get(name)?.users ?? [], ([id, user]) => ({ id, ...user })).sort(
      (a, b) => b.calls - a.calls,
    );
  }

  #book(name: string): Book | undefined {
    let book = this.#books.get(name);
    if (book === undefined) {
      if (this.#books.size >= MAX_TOOLS) return undefined;
      book = { calls: 0, failures: 0, byBlame: new Map(), lastUsedAt: 0, steps: [], users: new Map() };
      this.#books.set(name, book);
    }
    return book;
  }
}

/** Undefined for what is too long ago. */
function stepAt(book: Book, number: number): Step | undefined {
  const known = book.steps.findLast((step) => step.number === number);
  if (known !== undefined) return known;
  const newest = book.steps.reduce((most, step) => Math.max(most, step.number), number);
  if (number <= newest - STEPS) return undefined;
  const step: Step = { number, calls: 0, failures: 0, bins: new Uint32Array(BINS) };
  book.steps = [...book.steps.filter((each) => each.number > newest - STEPS), step];
  return step;
}

/** Whoever has called least gives way to somebody new. */
function countUser(users: Book["users"], user: string, at: number): void {
  const known = users.get(user);
  if (known !== undefined) {
    known.calls += 1;
    known.lastAt = Math.max(known.lastAt, at);
    return;
  }
  if (users.size >= MAX_USERS) {
    const [first] = users;
    if (first === undefined) return;
    const [least] = [...users].reduce((one, other) => (other[1].calls < one[1].calls ? other : one), first);
    users.delete(least);
  }
  users.set(user, { calls: 1, lastAt: at });
}

function binOf(durationMs: number): number {
  if (!(durationMs > SMALLEST_MS)) return 0;
  return Math.min(BINS - 1, 1 + Math.floor(Math.log2(durationMs / SMALLEST_MS) * AN_OCTAVE));
}

/** The middle of the bin that it falls into. */
function percentile(bins: Uint32Array, share: number): number | null {
  let all = 0;
  for (const count of bins) all += count;
  if (all === 0) return null;
  let left = Math.ceil(all * share);
  for (const [bin, count] of bins.entries()) {
    left -= count;
    if (left > 0) continue;
    const ms = bin === 0 ? SMALLEST_MS : SMALLEST_MS * 2 ** ((bin - 0.5) / AN_OCTAVE);
    return Number(ms.toPrecision(2));
  }
  return null;
}
