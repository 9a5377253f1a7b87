import type { CallEvent, EventStream } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { TrackedCall } from "../views/tracked-call.ts";
import { Recent } from "./recent.ts";

type Of<Type extends CallEvent["type"]> = Extract<CallEvent, { type: Type }>;

/** Told of what becomes of calls. Nothing may be kept of an event. */
export interface CallWatcher {
  /** Something about it changed. */
  changed(call: TrackedCall): void;
  ended(call: TrackedCall, event: Of<"call.end">): void;
}

/** Ended calls whose updates are still told. */
const RECENT = 256;
/** Fewer characters of an id say too little. */
const SHORTEST = 4;
/** Executions of this process that are known to be its own. */
const OWN = 10_000;

/** The calls that this process has under way. What they did is in the records; this is what is not yet there. */
export class LiveCalls {
  readonly #calls = new Map<string, TrackedCall>();
  readonly #recent = new Recent<TrackedCall>(RECENT);
  readonly #own = new Recent<true>(OWN);
  readonly #watcher: CallWatcher;
  readonly #stops: (() => void)[];

  constructor(events: EventStream, watcher: CallWatcher) {
    this.#watcher = watcher;
    // Every call has a start and an end, so those are looked at without having them copied.
    this.#stops = [
      events.watch("call.start", (event) => this.#start(event)),
      events.watch("call.end", (event) => this.#end(event)),
      events.watch("call.verdict", ({ executionId, guard, verdict, reason }) => {
        if (verdict !== "allow")
          this.#change(executionId, (call) => call.verdicts.push({ guard, verdict, ...defined({ reason }) }));
      }),
      events.watch("call.repaired", ({ executionId }) =>
        this.#change(executionId, (call) => {
          call.repaired = true;
        }),
      ),
      events.watch("call.retry", ({ executionId, attempt }) =>
        this.#change(executionId, (call) => {
          call.attempt = attempt + 1;
        }),
      ),
      events.on("call.update", ({ executionId, at, update }) =>
        this.#change(executionId, (call) => call.update(at, update)),
      ),
      events.on("call.waiting", (event) => this.#waits(event)),
      events.on("call.resumed", (event) => this.#resumed(event)),
    ];
  }

  /** Under way, oldest first. Those that wait and have nothing in memory are not among them. */
  running(): IterableIterator<TrackedCall> {
    return this.#calls.values();
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Under way, or just ended. */
  get(executionId: string): TrackedCall | undefined {
    return this.#calls.get(executionId) ?? this.#recent.get(executionId);
  }

  /** Those under way whose ids begin or end as somebody typed. */
  named(typed: string): string[] {
    const found: string[] = [];
    if (typed.length < SHORTEST) return found;
    for (const id of this.#calls.keys()) {
      if (id.startsWith(typed) || id.endsWith(typed)) found.push(id);
      if (found.length > 10) break;
    }
    return found;
  }

  /** Whether an execution ended here, as far back as is remembered. */
  isOwn(executionId: string): boolean {
    return this.#own.get(executionId) === true;
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #start(event: Of<"call.start">): void {
    const call = new TrackedCall(event, event.arguments);
    this.#calls.set(event.executionId, call);
    this.#watcher.changed(call);
  }

  #end(event: Of<"call.end">): void {
    const { executionId, result, args, endedAt, startedAt } = event;
    const call =
      this.#calls.get(executionId) ?? new TrackedCall({ ...event, source: "model", at: startedAt }, args);
    this.#calls.delete(executionId);
    call.end = { result, args, endedAt };
    this.#own.set(executionId, true);
    if (call.updates.length > 0) {
      this.#recent.set(executionId, call);
    }
    this.#watcher.ended(call, event);
  }

  #waits({ executionId, at, waiting, parked }: Of<"call.waiting">): void {
    this.#change(executionId, (call) => {
      call.waiting = { told: waiting, since: at };
      // Nothing of it stays: it may wait for weeks. Whoever goes on with it tells its story.
      if (parked) this.#calls.delete(executionId);
    });
  }

  #resumed(event: Of<"call.resumed">): void {
    const { executionId, story, at } = event;
    if (!this.#calls.has(executionId) && story !== undefined) {
      const { source, principal, rawArguments, attemptedAt = at } = story;
      const call = new TrackedCall(
        { ...event, source, at: attemptedAt, ...defined({ principal }) },
        rawArguments,
      );
      // What was told of it before it waited has lower numbers.
      call.revision = 1_000;
      this.#calls.set(executionId, call);
    }
    this.#change(executionId, (call) => {
      call.waiting = undefined;
    });
  }

  #change(executionId: string, change: (call: TrackedCall) => unknown): void {
    const call = this.#calls.get(executionId);
    if (call === undefined) return;
    change(call);
    call.revision += 1;
    this.#watcher.changed(call);
  }
}
