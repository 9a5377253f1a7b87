import { createHash } from "node:crypto";
import type { BatchOptions, CallOptions, ToolCall, ToolResult } from "@toolrig/core";
import { canonicalJson, isWaiting, newId } from "@toolrig/core/kit";
import type { ServedRig } from "../served-rig.ts";
import { CallSlots, type SlotLimits } from "./call-slots.ts";
import { Recent } from "./recent.ts";
import { writableResult } from "./writable-result.ts";

interface UnderWay {
  readonly executionId: string;
  readonly principal: string | undefined;
  readonly controller: AbortController;
  /** What cancels it from elsewhere. */
  readonly signal: AbortSignal | undefined;
}

/** What came of a call, and on whose behalf it was made. */
interface KeptResult {
  readonly result: ToolResult;
  readonly principal: string | undefined;
}

/** What a key stands for: an execution, whose id begins with what is the key's alone. */
export interface KeyedExecution {
  readonly id: string;
  readonly prefix: string;
}

const KEPT_RESULTS = 1_000;
const KEPT_KEYS = 10_000;
const KEPT_CHARACTERS = 50_000_000;

/** Where calls that come over HTTP are taken: so many at once, each under one execution, to be cancelled and asked for again. */
export class CallDesk {
  readonly slots: CallSlots;
  readonly #rig: ServedRig;
  readonly #underWay = new Set<UnderWay>();
  /** Of calls that were not waited for, and of those with a key: the latest. */
  readonly #results = new Map<string, KeptResult & { size: number }>();
  readonly #keys = new Recent<string>(KEPT_KEYS);
  readonly #keyed = new Map<string, Promise<ToolResult>>();
  #kept = 0;

  constructor(rig: ServedRig, limits: SlotLimits) {
    this.#rig = rig;
    this.slots = new CallSlots(limits, () => rig.executor.unrecorded);
  }

  /**
   * Makes a call, under a place that was taken before and is given back. `life` is what ends with it, where it is made for that
   * alone: it is aborted when the call is cancelled.
   */
  make(call: ToolCall, options: CallOptions, life = new AbortController()): Promise<ToolResult> {
    const { executionId = newId("exec"), principal, signal } = options;
    const made: UnderWay = { executionId, principal: principal?.id, controller: life, signal };
    return this.#during([made], options, () =>
      this.#rig.call(call, { ...options, executionId, signal: life.signal }),
    );
  }

  /** The same for a batch, under as many places as it has calls. Each can be cancelled by itself. */
  makeBatch(calls: readonly ToolCall[], options: BatchOptions): Promise<ToolResult[]> {
    const { principal, signal, signals } = options;
    const made = calls.map(
      (_, index): UnderWay => ({
        executionId: options.executionIds?.[index] ?? newId("exec"),
        principal: principal?.id,
        controller: new AbortController(),
        signal: signals?.[index] ?? signal,
      }),
    );
    return this.#during(made, options, () =>
      this.#rig.batch(calls, {
        ...options,
        executionIds: made.map(({ executionId }) => executionId),
        signals: made.map(({ controller }) => controller.signal),
      }),
    );
  }

  /** As `make`, and keeps the result for those who ask for it later. From here on its key, where it has one, stands for it. */
  async makeKept(
    call: ToolCall,
    options: CallOptions & { executionId: string },
    key?: KeyedExecution,
  ): Promise<ToolResult> {
    const { executionId } = options;
    if (key !== undefined) this.#keys.set(key.prefix, key.id);
    const making = this.make(call, options);
    this.#keyed.set(executionId, making);
    try {
      const result = await making;
      if (!isWaiting(result)) this.#keep(executionId, { result, principal: options.principal?.id });
      return result;
    } finally {
      this.#keyed.delete(executionId);
    }
  }

  /** The result of a call that was kept, or is being made. */
  resultOf(executionId: string): ToolResult | Promise<ToolResult> | undefined {
    return this.#keyed.get(executionId) ?? this.#results.get(executionId)?.result;
  }

  /** What is kept of a call that is over. */
  keptOf(executionId: string): KeptResult | undefined {
    return this.#results.get(executionId);
  }

  /** The execution that the key of another stands for here, where it stands for one. */
  executionOf({ prefix }: KeyedExecution): string | undefined {
    return this.#keys.get(prefix);
  }

  /** On whose behalf a call that is under way was made. */
  ownerOf(executionId: string): string | undefined {
    return this.#find(executionId)?.principal;
  }

  isUnderWay(executionId: string): boolean {
    return this.#find(executionId) !== undefined;
  }

  /** Whether there was such a call to cancel. */
  cancel(executionId: string): boolean {
    const found = this.#find(executionId);
    found?.controller.abort();
    return found !== undefined;
  }

  /** Ends what is under way, and refuses what waits for a place; whoever waits for it is answered with that. */
  cancelAll(): void {
    this.slots.refuseQueued();
    for (const { controller } of this.#underWay) controller.abort();
  }

  #find(executionId: string): UnderWay | undefined {
    for (const each of this.#underWay) if (each.executionId === executionId) return each;
    return undefined;
  }

  async #during<Result>(
    made: readonly UnderWay[],
    { onWaiting }: Pick<CallOptions, "onWaiting">,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const unlinks = made.map(link);
    for (const each of made) this.#underWay.add(each);
    try {
      return await work();
    } finally {
      for (const unlink of unlinks) unlink?.();
      for (const each of made) this.#underWay.delete(each);
      this.slots.leave(made.length, onWaiting === "hold");
    }
  }

  #keep(executionId: string, made: KeptResult): void {
    const { result, size } = writableResult(made.result);
    // Values are not cut as content is.
    if (size > KEPT_CHARACTERS / 10) return;
    this.#kept += size - (this.#results.get(executionId)?.size ?? 0);
    this.#results.set(executionId, { ...made, result, size });
    while (this.#results.size > KEPT_RESULTS || this.#kept > KEPT_CHARACTERS) {
      const [oldest] = this.#results;
      if (oldest === undefined) break;
      this.#results.delete(oldest[0]);
      this.#kept -= oldest[1].size;
    }
  }
}

/** Has a call end with its signal, where it has one. Returns how to undo that. */
function link({ controller, signal }: UnderWay): (() => void) | undefined {
  if (signal === undefined) return undefined;
  const gone = () => controller.abort(signal.reason);
  signal.addEventListener("abort", gone);
  if (signal.aborted) gone();
  return () => signal.removeEventListener("abort", gone);
}

/**
 * The execution that a key stands for: the same for the same owner, key and request, in whichever process. The first part is
 * the key's, the second the request's, so that a key that was used for something else is found by its first part.
 */
export function executionForKey(owner: string, key: string, request: unknown): KeyedExecution {
  const prefix = `http_${digest(`${owner}\n${key}`).slice(0, 24)}`;
  return { id: `${prefix}-${digest(canonicalJson(request)).slice(0, 16)}`, prefix };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
