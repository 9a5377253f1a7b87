import type { CallEvent, Redactor, ToolResult } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { StoredRecord } from "@toolrig/store";
import type { ServedRig } from "../served-rig.ts";
import { lineOfRecord } from "../views/call-line.ts";
import { runLine } from "../views/run-line.ts";
import type { TrackedCall } from "../views/tracked-call.ts";
import type { RunLine } from "../wire.ts";
import { Feed } from "./feed.ts";
import { LiveCalls } from "./live-calls.ts";
import { StatsBook } from "./tool-stats.ts";

/** How often the store is asked for what other processes did, while somebody reads. */
const EVERY_MS = 500;
const RUNS = 50;
/** Records from before that the statistics begin with. */
const SEED = 2_000;
const PAGE = 500;
const MAX_GAP = 2_000;

/** What happens now: the calls under way, the feed of what changes, and how tools do. Of this process, and of others on its store. */
export class Live {
  readonly calls: LiveCalls;
  readonly feed: Feed;
  readonly stats = new StatsBook();
  readonly #rig: ServedRig;
  readonly #redactor: Redactor;
  readonly #runs = new Map<string, string>();
  #seq = 0;
  #inbox = -1;
  #timer: NodeJS.Timeout;

  constructor(rig: ServedRig, redactor: Redactor) {
    this.#rig = rig;
    this.#redactor = redactor;
    this.feed = new Feed(redactor);
    this.calls = new LiveCalls(rig.events, {
      changed: (call) => this.feed.call(call),
      ended: (call, event) => this.#ended(call, event),
    });
    this.#seed();
    this.#timer = setInterval(() => void this.look(), EVERY_MS);
    this.#timer.unref();
  }

  /** How a run stands that this process has. */
  isHere(runId: string): boolean {
    return this.#rig.runs?.has(runId) === true;
  }

  /** Asks the store what other processes did. Of what they did while nobody read, only the latest is told. */
  async look(): Promise<void> {
    if (!this.feed.awake) {
      this.#inbox = -1;
      return;
    }
    try {
      this.#lookAtRecords();
      await this.#lookAtRuns();
      await this.#lookAtInbox();
    } catch {
      // A store that cannot be read now is asked again.
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.calls.close();
    this.feed.close();
  }

  #ended(
    call: TrackedCall,
    { name, endedAt, runId, result }: Extract<CallEvent, { type: "call.end" }>,
  ): void {
    this.feed.call(call);
    const { principal } = call.start;
    this.#count(name, endedAt, result, principal?.id ?? runId);
  }

  #count(
    name: string,
    endedAt: number,
    { durationMs, waitedMs = 0, isError, failure }: ToolResult,
    user: string | undefined,
  ) {
    this.stats.count({
      name,
      endedAt,
      // How long people think says nothing about a tool.
      durationMs: Math.max(0, durationMs - waitedMs),
      failure: isError ? (failure?.kind ?? "fatal") : undefined,
      user,
    });
  }

  #countRecord({ name, endTime, result, principal, runId }: StoredRecord): void {
    this.#count(name, endTime, result, principal?.id ?? runId);
  }

  #seed(): void {
    const { store } = this.#rig;
    if (store === undefined) return;
    this.#seq = store.records.head().seq;
    let after = Math.max(0, this.#seq - SEED);
    while (after < this.#seq) {
      const { records, last } = store.records.since(after, { limit: PAGE });
      if (last === after) break;
      for (const record of records) this.#countRecord(record);
      after = last;
    }
  }

  #lookAtRecords(): void {
    const { store } = this.#rig;
    if (store === undefined) return;
    const head = store.records.head().seq;
    if (head - this.#seq > MAX_GAP && this.feed.readers === 0) this.#seq = head;
    for (let pages = 0; this.#seq < head && pages < 8; pages++) {
      const { records, last } = store.records.since(this.#seq, {
        limit: PAGE,
        skip: (executionId) => this.calls.isOwn(executionId),
      });
      if (last === this.#seq) break;
      this.#seq = last;
      for (const record of records) {
        this.#countRecord(record);
        this.feed.line(lineOfRecord(record, this.#redactor));
      }
    }
  }

  async #lookAtRuns(): Promise<void> {
    for (const line of await this.runs(RUNS)) {
      const stamp = `${line.updatedAt} ${line.revision} ${line.state}`;
      if (this.#runs.get(line.runId) === stamp) continue;
      // The first look is what a reader has from the list.
      this.#runs.delete(line.runId);
      this.#runs.set(line.runId, stamp);
      this.feed.run(line);
    }
    while (this.#runs.size > 4 * RUNS) {
      const [oldest] = this.#runs.keys();
      if (oldest !== undefined) this.#runs.delete(oldest);
    }
  }

  /** Runs, the latest first. */
  async runs(limit: number, before?: number): Promise<RunLine[]> {
    const journal = this.#rig.store?.journal;
    if (journal === undefined) return [];
    const found = journal.runs({ limit, ...defined({ before }) });
    return found.map((run) => runLine(run, this.isHere(run.header.runId), this.#redactor));
  }

  async #lookAtInbox(): Promise<void> {
    const count = await this.inboxCount();
    if (count === this.#inbox) return;
    this.#inbox = count;
    this.feed.inbox(count);
  }

  async inboxCount(): Promise<number> {
    const counts = await this.#rig.waits.counts();
    return counts.reduce((sum, { kind, count }) => sum + (kind === "background" ? 0 : count), 0);
  }
}
