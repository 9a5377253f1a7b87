import { createHash } from "node:crypto";
import type { CallOptions, ToolCall, ToolResult } from "@toolrig/core";
import { canonicalJson } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import type { Caller } from "../http/route.ts";
import type { ServedRig } from "../served-rig.ts";
import { Recent } from "./recent.ts";

export interface DeskLimits {
  /** Calls under way at once that came over HTTP. */
  readonly calls: number;
  /** Calls that wait for one of those to end. */
  readonly queue: number;
  /** How long a call waits in that queue before it is refused. */
  readonly queueMs: number;
}

interface Held {
  readonly controller: AbortController;
  readonly principal: string;
}

/** What a call came to, with nothing masked in it: only whoever made it is told so. */
interface KeptResult {
  readonly result: ToolResult;
  readonly principal: string;
}

/** Calls that wait for places. */
interface Waiting {
  readonly places: number;
  go(): void;
}

const KEPT_RESULTS = 1_000;
const KEPT_KEYS = 10_000;
const KEPT_CHARACTERS = 50_000_000;

/** Where calls that come over HTTP are taken: so many at once, each under one execution, to be cancelled and asked for again. */
export class CallDesk {
  readonly #rig: ServedRig;
  readonly #limits: DeskLimits;
  readonly #open = new Set<Held>();
  /** Those that can be named. */
  readonly #underWay = new Map<string, Held>();
  /** Of calls that were not waited for, and of those with a key: the latest. */
  readonly #results = new Map<string, KeptResult & { size: number }>();
  readonly #prefixes = new Recent<string>(KEPT_KEYS);
  readonly #keyed = new Map<string, Promise<ToolResult>>();
  readonly #queue: Waiting[] = [];
  #running = 0;
  #held = 0;
  #kept = 0;
  shed = 0;

  constructor(rig: ServedRig, limits: DeskLimits) {
    this.#rig = rig;
    this.#limits = limits;
  }

  get running(): number {
    return this.#running + this.#held;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /**
   * Takes places for calls, at once or when there are so many. Throws a problem when there are none to be had. Calls that are held
   * while they wait for the world, which may take days, have as many places of their own.
   */
  enter(places = 1, isHeld = false): undefined | Promise<void> {
    const { calls, queue, queueMs } = this.#limits;
    if (isHeld) {
      if (this.#held + places > calls) throw this.#overloaded(calls);
      this.#held += places;
      return undefined;
    }
    if (this.#queue.length === 0 && this.#fits(places)) {
      this.#running += places;
      return undefined;
    }
    if (this.#queue.length >= queue) throw this.#overloaded(calls);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        places,
        go() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(this.#overloaded(calls));
      }, queueMs);
      this.#queue.push(waiting);
    });
  }

  leave(places = 1, isHeld = false): void {
    if (isHeld) {
      this.#held -= places;
      return;
    }
    this.#running -= places;
    for (let next = this.#queue[0]; next !== undefined && this.#fits(next.places); next = this.#queue[0]) {
      this.#queue.shift();
      this.#running += next.places;
      next.go();
    }
  }

  /** What is larger than everything there is goes alone. */
  #fits(places: number): boolean {
    return this.#running === 0 || this.#running + places <= this.#limits.calls;
  }

  /** Makes a call, under a place that was taken before. Never rejects. */
  async make(
    call: ToolCall,
    { signal, ...options }: CallOptions & { executionId?: string },
    caller: Caller,
  ): Promise<ToolResult> {
    const held: Held = { controller: new AbortController(), principal: caller.principal.id };
    const gone = () => held.controller.abort();
    signal?.addEventListener("abort", gone);
    if (signal?.aborted === true) gone();
    this.#open.add(held);
    if (options.executionId !== undefined) this.#underWay.set(options.executionId, held);
    try {
      return await this.#rig.call(call, { ...options, signal: held.controller.signal });
    } finally {
      signal?.removeEventListener("abort", gone);
      this.#open.delete(held);
      if (options.executionId !== undefined) this.#underWay.delete(options.executionId);
      this.leave(1, options.onWaiting === "hold");
    }
  }

  /** Ends what is under way; whoever waits for it is answered with that. */
  cancelAll(): void {
    for (const { controller } of this.#open) controller.abort();
  }

  /** As `make`, and keeps the result for those who ask for it later. */
  async makeKept(
    call: ToolCall,
    options: CallOptions & { executionId: string },
    caller: Caller,
  ): Promise<ToolResult> {
    const { executionId } = options;
    const making = this.make(call, options, caller);
    this.#keyed.set(executionId, making);
    const result = await making;
    this.#keyed.delete(executionId);
    if (result.waiting === undefined) this.#keep(executionId, result, caller.principal.id);
    return result;
  }

  /** The result of a call that was kept, or is being made. */
  resultOf(executionId: string): ToolResult | Promise<ToolResult> | undefined {
    return this.#keyed.get(executionId) ?? this.#results.get(executionId)?.result;
  }

  /** What is kept of a call that is over. */
  keptOf(executionId: string): KeptResult | undefined {
    return this.#results.get(executionId);
  }

  /** Another execution that a key stands for here, where it stands for one. */
  otherOf(prefix: string, executionId: string): string | undefined {
    const known = this.#prefixes.get(prefix);
    if (known !== undefined) return known === executionId ? undefined : known;
    this.#prefixes.set(prefix, executionId);
    return undefined;
  }

  isUnderWay(executionId: string): boolean {
    return this.#underWay.has(executionId);
  }

  /** Whether there was such a call of theirs to cancel. Whoever may do everything cancels everybody's. */
  cancel(executionId: string, { principal, scopes }: Caller): boolean {
    const held = this.#underWay.get(executionId);
    if (held === undefined || (held.principal !== principal.id && !scopes.includes("admin"))) return false;
    held.controller.abort();
    return true;
  }

  #keep(executionId: string, result: ToolResult, principal: string): void {
    // Values are not cut as content is.
    const size = JSON.stringify(result).length;
    if (size > KEPT_CHARACTERS / 10) return;
    this.#results.set(executionId, { result, principal, size });
    this.#kept += size;
    while (this.#results.size > KEPT_RESULTS || this.#kept > KEPT_CHARACTERS) {
      const [oldest] = this.#results;
      if (oldest === undefined) break;
      this.#results.delete(oldest[0]);
      this.#kept -= oldest[1].size;
    }
  }

  #overloaded(calls: number): RequestProblem {
    this.shed += 1;
    return new RequestProblem(
      "OVERLOADED",
      `${calls} calls are under way and ${this.#queue.length} wait. Nothing of this one was begun; send it again later.`,
      { retryAfterMs: 1_000 },
    );
  }
}

/**
 * The execution that a key stands for: the same for the same principal, key and request, in whichever process. The first part is
 * the key's, the second the request's, so that a key that was used for something else is found by its first part.
 */
export function executionForKey(
  principal: string,
  key: string,
  request: unknown,
): { id: string; prefix: string } {
  const prefix = `http_${digest(`${principal}\n${key}`).slice(0, 24)}`;
  return { id: `${prefix}-${digest(canonicalJson(request)).slice(0, 16)}`, prefix };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
