import { signal } from "@preact/signals";
import type { CallLine, Page } from "@toolrig/server/wire";
import { ApiError, get } from "../../api/client.ts";
import { type Filter, matcher } from "./filter.ts";

/** So many lines are kept; older ones are read again when somebody scrolls to them. */
const MOST = 2_000;
const PAGE = 200;
const MAX_PAGES = 10;

/**
 * The calls of one filter, newest first: what the server had, then what the feed brings. While it is held nothing moves:
 * lines change in place, and those that are new are counted until they are asked for.
 */
export class LiveList {
  /** Newest first. */
  readonly shown = signal<readonly CallLine[]>([]);
  /** How many came while it was held. */
  readonly fresh = signal(0);
  readonly loading = signal(true);
  /** Whether there may be older ones. */
  readonly more = signal(false);
  readonly error = signal<ApiError | undefined>(undefined);

  readonly #filter: Filter;
  readonly #matches: (line: CallLine) => boolean;
  #held = false;
  /** Oldest first. */
  #lines: CallLine[] = [];
  #known = new Map<string, CallLine>();
  #cursor: string | undefined;
  #reading = false;

  constructor(filter: Filter) {
    this.#filter = filter;
    this.#matches = matcher(filter);
  }

  /** Reads the newest from the server, and keeps what is newer already. */
  async load(): Promise<void> {
    this.loading.value = true;
    const page = await this.#read();
    if (page !== undefined) this.receive(page.items, { asked: true });
    if (page?.items.length === 0) await this.loadOlder();
    this.loading.value = false;
  }

  /** Forgets everything and reads anew: the feed had a gap. */
  async reload(): Promise<void> {
    const page = await this.#read();
    if (page === undefined) return;
    this.#lines = [];
    this.#known.clear();
    this.receive(page.items, { asked: true });
  }

  /**
   * Reads what is older than the last line. A page may hold nothing of what is looked for and yet not be the last: some are looked
   * through before the reader is asked whether to look further.
   */
  async loadOlder(): Promise<void> {
    if (this.#reading || !this.more.value) return;
    const oldest = this.shown.value.at(-1)?.startedAt ?? Number.POSITIVE_INFINITY;
    for (let pages = 0; pages < MAX_PAGES && this.more.value; pages++) {
      const page = await this.#read(this.#cursor);
      if (page === undefined) return;
      const older = page.items.filter(
        (line) => line.startedAt <= oldest && !this.#known.has(line.executionId),
      );
      if (older.length === 0) continue;
      for (const line of older) this.#known.set(line.executionId, line);
      this.#lines.unshift(...older.toReversed());
      this.shown.value = [...this.shown.value, ...older];
      return;
    }
  }

  /** Takes lines of the feed. Lines that were asked for are shown though the list is held. */
  receive(lines: readonly CallLine[], { asked = false } = {}): void {
    let added = 0;
    let changed = false;
    for (const line of lines) {
      const before = this.#known.get(line.executionId);
      if (before === undefined) {
        if (!this.#matches(line) || !this.#insert(line)) continue;
        added++;
      } else if (line.revision > before.revision) {
        this.#known.set(line.executionId, line);
        changed = true;
      }
    }
    if (added > 0 || changed) this.#draw(added, asked);
  }

  /** Holds the list still, or lets go and shows what came meanwhile. */
  hold(held: boolean): void {
    if (this.#held === held) return;
    this.#held = held;
    if (!held) this.showFresh();
  }

  showFresh(): void {
    this.fresh.value = 0;
    this.#forget();
    this.shown.value = this.#newestFirst();
  }

  #draw(added: number, asked: boolean): void {
    if (this.#held && !asked) {
      this.fresh.value += added;
      this.shown.value = this.shown.value.map((line) => this.#known.get(line.executionId) ?? line);
      this.#trim();
      return;
    }
    this.#trim();
    this.#forget();
    this.shown.value = this.#newestFirst();
  }

  /** At its place by when it began. Answers false for one that is older than all that is kept of many. */
  #insert(line: CallLine): boolean {
    let place = this.#lines.length;
    while (place > 0 && (this.#lines[place - 1]?.startedAt ?? 0) > line.startedAt) place--;
    if (place === 0 && this.#lines.length >= MOST) return false;
    if (place === this.#lines.length) this.#lines.push(line);
    else this.#lines.splice(place, 0, line);
    this.#known.set(line.executionId, line);
    return true;
  }

  #trim(): void {
    if (this.#lines.length > MOST) {
      this.#lines = this.#lines.slice(-MOST);
      // What was dropped is newer than where the cursor is: whoever wants it looks from the newest on.
      this.#cursor = undefined;
      this.more.value = true;
    }
    if (this.#known.size > 4 * MOST) this.#forget();
  }

  /** Of lines that are neither kept nor shown nothing stays. */
  #forget(): void {
    if (this.#known.size === this.#lines.length) return;
    const kept = new Map<string, CallLine>();
    const keep = ({ executionId }: CallLine) => {
      const line = this.#known.get(executionId);
      if (line !== undefined) kept.set(executionId, line);
    };
    this.#lines.forEach(keep);
    if (this.#held) this.shown.value.forEach(keep);
    this.#known = kept;
  }

  #newestFirst(): CallLine[] {
    return this.#lines.map((line) => this.#known.get(line.executionId) ?? line).reverse();
  }

  async #read(cursor?: string): Promise<Page<CallLine> | undefined> {
    this.#reading = true;
    try {
      const page = await get<Page<CallLine>>("/calls", { ...this.#filter, limit: PAGE, cursor });
      this.error.value = undefined;
      this.#cursor = page.cursor;
      this.more.value = page.cursor !== undefined;
      return page;
    } catch (error) {
      if (error instanceof ApiError) this.error.value = error;
      else throw error;
      return undefined;
    } finally {
      this.#reading = false;
    }
  }
}
