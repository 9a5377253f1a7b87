import { textOf } from "../../call/content.ts";
import type { ToolResult } from "../../call/result.ts";
import { canonicalJson } from "../../canonical.ts";
import { evictOldest } from "../../evict-oldest.ts";
import type { FailureKind } from "../../failure/codes.ts";
import { toPlain } from "../../plain.ts";
import { fingerprint } from "./fingerprint.ts";

export interface RepeatLimit {
  /** At this count the model is told. */
  advise: number;
  /** At this count the call does not run. */
  refuse: number;
}

export interface RepeatLimits extends RepeatLimit {
  /** The same call with the same failure, where that is the model's own fault. Default { advise: 3, refuse: 4 }. */
  failure: RepeatLimit;
  /** One tool failing by the model's own fault, whatever the calls. Default { advise: 4, refuse: 8 }. */
  tool: RepeatLimit;
}

/** The first two are for the same call with the same result and nothing new in between. */
export const REPEAT_LIMITS: RepeatLimits = {
  advise: 3,
  refuse: 5,
  failure: { advise: 3, refuse: 4 },
  tool: { advise: 4, refuse: 8 },
};

/** A call as its model made it. */
export interface RepeatedCall {
  readonly name: string;
  /** As written, or as it was parsed. */
  readonly arguments?: unknown;
}

/** Failures that say something about the model; the others say something about the world, and do not count. */
const BLAMES_MODEL: ReadonlySet<FailureKind> = new Set<FailureKind>(["validation", "not_found", "budget"]);

/** Results remembered a tool, and calls a result. */
const REMEMBERED = 32;

interface Repeated {
  count: number;
  /** The epoch of its last occurrence. */
  epoch: number;
}

interface Failing extends Repeated {
  /** The fingerprint of its message. */
  message: string;
}

interface Seen {
  /** The arguments of the first call with this result, as written, or what stands for them. */
  first: { written: string } | { key: string };
  epoch: number;
  /** By what stands for their arguments; made when the result comes a second time. */
  calls: Map<string, Repeated> | undefined;
}

/** Arguments up to this length are kept as they were written, and read only where something repeats. */
const MAX_WRITTEN = 256;

/**
 * Notices a model that goes in circles: the same call with the same result and nothing new in between, the same call
 * with the same failure, or a tool that it keeps calling wrongly. Whatever is new lifts a refusal, so that running the
 * tests after every change is not a circle. Costs one look-up a call while nothing repeats, and keeps no text longer than
 * a few words: what is remembered does not grow with what tools return. For one run.
 */
export class Repeats {
  readonly #limits: RepeatLimits;
  /** By tool, then by the fingerprint of the result. */
  readonly #seen = new Map<string, Map<string, Seen>>();
  /** Calls that will be refused, by tool and arguments. Empty in a run that goes well. */
  readonly #circling = new Map<string, Map<string, Repeated>>();
  /** By tool, then by arguments. */
  readonly #failing = new Map<string, { tool: Repeated; calls: Map<string, Failing> }>();
  /** Grows with everything new. */
  #epoch = 0;

  constructor(limits: RepeatLimits = REPEAT_LIMITS) {
    this.#limits = limits;
  }

  /** Why a call must not run, or undefined. */
  refusal({ name, arguments: args }: RepeatedCall): string | undefined {
    const circling = this.#circling.get(name);
    const failing = this.#failing.get(name);
    if (circling === undefined && failing === undefined) return undefined;
    const key = keyOf(args);
    const repeated = circling?.get(key);
    if (repeated !== undefined) {
      repeated.count += 1;
      return `This call was made ${repeated.count - 1} times with the same arguments and nothing new came of it, so it did not run again.`;
    }
    const { failure, tool } = this.#limits;
    const same = failing?.calls.get(key);
    if (same !== undefined && same.count >= failure.refuse - 1 && same.epoch === this.#epoch)
      return `This exact call failed ${same.count} times in the same way, so it did not run again. Change it or do something else.`;
    if (failing !== undefined && failing.tool.count >= tool.refuse - 1 && failing.tool.epoch === this.#epoch)
      return `${name} was called wrongly ${failing.tool.count} times in a row, so it is not called again for now. Do something else.`;
    return undefined;
  }

  /** Takes note of a result. What the model should be told, if anything. */
  observe(call: RepeatedCall, result: ToolResult): string | undefined {
    const { failure } = result;
    if (failure !== undefined)
      return BLAMES_MODEL.has(failure.kind) ? this.#failed(call, failure.message) : undefined;
    if (this.#failing.size > 0) this.#failing.delete(call.name);
    const count = this.#repeats(call, textOf(result.content));
    if (count < this.#limits.advise) return undefined;
    return `You made this exact call ${count} times with the same result. Use what you have or do something else.`;
  }

  #failed({ name, arguments: args }: RepeatedCall, text: string): string | undefined {
    const message = fingerprint(text);
    const failing = getOrMake(this.#failing, name, () => ({
      tool: { count: 0, epoch: 0 },
      calls: new Map<string, Failing>(),
    }));
    failing.tool.count += 1;
    failing.tool.epoch = this.#epoch;
    const key = keyOf(args);
    const last = failing.calls.get(key);
    const count = last?.message === message ? last.count + 1 : 1;
    failing.calls.set(key, { message, count, epoch: this.#epoch });
    evictOldest(failing.calls, REMEMBERED);
    const { failure, tool } = this.#limits;
    if (count >= failure.advise)
      return `This exact call failed ${count} times in the same way. Read the message and change the call.`;
    if (failing.tool.count < tool.advise) return undefined;
    return `${name} was called wrongly ${failing.tool.count} times in a row. Read its description and the messages, and change your approach.`;
  }

  /** How often this call had this result since anything new happened. */
  #repeats({ name, arguments: args }: RepeatedCall, text: string): number {
    const results = getOrMake(this.#seen, name, () => new Map<string, Seen>());
    const result = fingerprint(text);
    const seen = results.get(result);
    if (seen === undefined) {
      const count = this.#somethingNew();
      const short = typeof args === "string" && args.length <= MAX_WRITTEN;
      const first = short ? { written: args } : { key: keyOf(args) };
      results.set(result, { first, epoch: this.#epoch, calls: undefined });
      evictOldest(results, REMEMBERED);
      return count;
    }
    seen.calls ??= new Map([[firstKey(seen), { count: 1, epoch: seen.epoch }]]);
    const key = keyOf(args);
    const repeated = seen.calls.get(key);
    if (repeated === undefined) {
      const count = this.#somethingNew();
      seen.calls.set(key, { count, epoch: this.#epoch });
      evictOldest(seen.calls, REMEMBERED);
      return count;
    }
    repeated.count = repeated.epoch === this.#epoch ? repeated.count + 1 : 1;
    repeated.epoch = this.#epoch;
    if (repeated.count >= this.#limits.refuse - 1) {
      getOrMake(this.#circling, name, () => new Map<string, Repeated>()).set(key, repeated);
    }
    return repeated.count;
  }

  #somethingNew(): number {
    this.#epoch += 1;
    if (this.#circling.size > 0) this.#circling.clear();
    return 1;
  }
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Arguments that mean the same have the same key. */
function keyOf(args: unknown): string {
  return fingerprint(canonical(args));
}

function firstKey({ first }: Seen): string {
  return "key" in first ? first.key : keyOf(first.written);
}

function canonical(args: unknown): string {
  try {
    return canonicalJson(typeof args === "string" ? JSON.parse(args) : args) ?? "";
  } catch {
    return typeof args === "string" ? args.trim() : JSON.stringify(toPlain(args));
  }
}
