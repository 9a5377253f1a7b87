import { signal } from "@preact/signals";
import type { CallLine, Page } from "@toolrig/server/wire";
import { get } from "../../api/client.ts";

const SECONDS = 60;

export interface Pulse {
  running: number;
  waiting: number;
  /** Of the last minute. */
  ended: number;
  failed: number;
  unknown: number;
  /** Calls that ended in each second of the last minute, oldest first. */
  perSecond: number[];
}

const NOTHING: Pulse = { running: 0, waiting: 0, ended: 0, failed: 0, unknown: 0, perSecond: [] };

/** What the whole server does now, whatever is filtered. */
export class PulseMeter {
  /** undefined until the server has told it. */
  readonly pulse = signal<Pulse | undefined>(undefined);
  readonly #open = new Map<string, "running" | "waiting">();
  #isLoaded = false;
  #seconds: { second: number; ended: number; failed: number; unknown: number }[] = [];

  /** Begins anew with what is not over and what ended lately. */
  async load(): Promise<void> {
    const [open, latest] = await Promise.all(
      ["running,waiting", undefined].map((state) =>
        get<Page<CallLine>>("/calls", { state, limit: 200 }).catch(() => undefined),
      ),
    );
    this.#open.clear();
    this.#seconds = [];
    const lines = new Map(
      [...(open?.items ?? []), ...(latest?.items ?? [])].map((line) => [line.executionId, line]),
    );
    this.receive([...lines.values()]);
    this.#isLoaded = true;
  }

  receive(lines: readonly CallLine[]): void {
    for (const line of lines) {
      if (line.state === "running" || line.state === "waiting") this.#open.set(line.executionId, line.state);
      else {
        this.#open.delete(line.executionId);
        this.#count(line);
      }
    }
  }

  /** Calls of which only the number is known. */
  receiveMore(calls: number): void {
    this.#bucket(Date.now()).ended += calls;
  }

  /** Once a second, or numbers could not be read. */
  tick(at: number): void {
    if (!this.#isLoaded) return;
    const last = Math.floor(at / 1_000) - 1;
    this.#seconds = this.#seconds.filter(({ second }) => second > last - SECONDS);
    const perSecond = new Array<number>(SECONDS).fill(0);
    const pulse = { ...NOTHING, perSecond };
    for (const { second, ended, failed, unknown } of this.#seconds) {
      const place = SECONDS - 1 - (last - second);
      if (place >= 0 && place < SECONDS) perSecond[place] = ended;
      pulse.ended += ended;
      pulse.failed += failed;
      pulse.unknown += unknown;
    }
    for (const state of this.#open.values()) pulse[state]++;
    this.pulse.value = pulse;
  }

  #count(line: CallLine): void {
    const bucket = this.#bucket(line.endedAt ?? line.startedAt);
    bucket.ended++;
    if (line.state === "failed") bucket.failed++;
    if (line.state === "unknown") bucket.unknown++;
  }

  #bucket(at: number) {
    const second = Math.floor(at / 1_000);
    let bucket = this.#seconds.findLast((each) => each.second === second);
    if (bucket === undefined) {
      bucket = { second, ended: 0, failed: 0, unknown: 0 };
      this.#seconds.push(bucket);
    }
    return bucket;
  }
}
