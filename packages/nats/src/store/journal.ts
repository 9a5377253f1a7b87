import type { NatsConnection } from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import {
  continuedElsewhere,
  type Journal,
  type JournalEntry,
  type RunHeader,
  type RunQuery,
  type RunSummary,
} from "@toolrig/core/kit";
import { token } from "../wire/names.ts";
import { Bucket, type BucketOptions } from "./bucket.ts";

interface KeptRun extends RunSummary {
  lastTurn?: number;
}

type Kept = { run: KeptRun } | { entry: JournalEntry };

/** A journal of runs on NATS. Every write is with the server before its promise resolves. */
export class KvJournal implements Journal {
  readonly #bucket: Bucket<Kept>;
  /** The latest write of each run: appends keep the order in which they were made. */
  readonly #writing = new Map<string, Promise<void>>();

  private constructor(bucket: Bucket<Kept>) {
    this.#bucket = bucket;
  }

  static async open(connection: NatsConnection, options: BucketOptions): Promise<KvJournal> {
    return new KvJournal(await Bucket.open<Kept>(connection, options));
  }

  async begin(header: RunHeader): Promise<void> {
    const run: KeptRun = { header, updatedAt: header.startedAt, entries: 0, turns: 0 };
    if (await this.#bucket.create(runKey(header.runId), { run })) return;
    throw new ToolrigError("STORE_FAILED", `Run ${header.runId} is in the journal already.`);
  }

  append(runId: string, entries: readonly JournalEntry[], expected?: number): Promise<void> {
    const before = this.#writing.get(runId) ?? Promise.resolve();
    const write = () => this.#append(runId, entries, expected);
    const mine = before.then(write, write);
    this.#writing.set(runId, mine);
    const forget = () => this.#writing.get(runId) === mine && this.#writing.delete(runId);
    void mine.then(forget, forget);
    return mine;
  }

  async header(runId: string): Promise<RunHeader | undefined> {
    return (await this.#run(runId))?.run.header;
  }

  async entries(runId: string): Promise<JournalEntry[]> {
    const kept = await this.#bucket.scan(`entry.${token(runId)}.`, "leader");
    return kept
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ value }) => (value as { entry: JournalEntry }).entry);
  }

  async runs({ ended, kind, before = Number.MAX_VALUE, limit = 50 }: RunQuery = {}): Promise<RunSummary[]> {
    const kept = await this.#bucket.scan("run.", "replica");
    return kept
      .map(({ value }) => (value as { run: KeptRun }).run)
      .filter(({ header, end }) => {
        if (kind !== undefined && header.kind !== kind) return false;
        if (ended !== undefined && (end !== undefined) !== ended) return false;
        return header.startedAt < before;
      })
      .sort((a, b) => b.header.startedAt - a.header.startedAt)
      .slice(0, limit)
      .map(({ lastTurn: _, ...summary }) => summary);
  }

  /** The entries first, then the count of them: an entry that a crash left uncounted is counted by the next append. */
  async #append(
    runId: string,
    entries: readonly JournalEntry[],
    expected: number | undefined,
  ): Promise<void> {
    const known = await this.#begun(runId);
    if (expected !== undefined && !(await this.#hasExactly(runId, expected, known.run.entries)))
      throw continuedElsewhere(runId);
    let next = expected ?? known.run.entries;
    for (const entry of entries) {
      while (!(await this.#bucket.create(entryKey(runId, next), { entry }))) {
        if (expected !== undefined) throw continuedElsewhere(runId);
        next += 1;
      }
      next += 1;
    }
    await this.#advance(runId, entries, next);
  }

  /** Whether the run may have that many entries: a crash can leave the last ones uncounted, and no gap before them. */
  async #hasExactly(runId: string, expected: number, counted: number): Promise<boolean> {
    if (expected <= counted) return expected === counted;
    return (await this.#bucket.get(entryKey(runId, expected - 1))) !== undefined;
  }

  async #advance(runId: string, entries: readonly JournalEntry[], count: number): Promise<void> {
    for (;;) {
      const { run, revision } = await this.#begun(runId);
      const { waiting: _, ...before } = run;
      const after: KeptRun = { ...before, entries: Math.max(run.entries, count), updatedAt: Date.now() };
      const last = entries.at(-1);
      if (last?.type === "waiting" && after.end === undefined) after.waiting = { outcome: last.outcome };
      for (const entry of entries) {
        if (entry.type === "end") after.end = { outcome: entry.outcome };
        if (!("turn" in entry) || entry.turn <= (after.lastTurn ?? 0)) continue;
        after.lastTurn = entry.turn;
        after.turns += 1;
      }
      if (await this.#bucket.update(runKey(runId), { run: after }, revision)) return;
    }
  }

  async #begun(runId: string): Promise<{ run: KeptRun; revision: number }> {
    const known = await this.#run(runId);
    if (known !== undefined) return known;
    throw new ToolrigError("STORE_FAILED", `Run ${runId} is not in the journal; begin it first.`);
  }

  async #run(runId: string): Promise<{ run: KeptRun; revision: number } | undefined> {
    const known = await this.#bucket.get(runKey(runId));
    if (known === undefined) return undefined;
    return { run: (known.value as { run: KeptRun }).run, revision: known.revision };
  }
}

const runKey = (runId: string) => `run.${token(runId)}`;
const entryKey = (runId: string, n: number) => `entry.${token(runId)}.${String(n).padStart(9, "0")}`;
