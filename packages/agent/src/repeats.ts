import { canonicalJson, type FailureKind, type ToolResult, textOf } from "@toolrig/core";
import type { ToolCallPart } from "./message.ts";

export interface RepeatLimits {
  /** The result of this identical call in a row tells the model that it repeats itself. */
  advise: number;
  /** This identical call in a row does not run. */
  refuse: number;
}

/** Failures that say something about the model; the others say something about the world. */
const BLAMES_MODEL: ReadonlySet<FailureKind | undefined> = new Set<FailureKind>([
  "validation",
  "not_found",
  "budget",
]);

/** Results remembered a tool, and calls a result. */
const REMEMBERED = 32;

interface Repeated {
  count: number;
  epoch: number;
}

interface Seen {
  /** The arguments of the first call with this result, as written. */
  first: string;
  epoch: number;
  /** By canonical arguments; made when the result comes a second time. */
  calls: Map<string, Repeated> | undefined;
}

/**
 * Notices a model that goes in circles: the same call with the same result and nothing new in between, or a tool that
 * keeps failing in the same way. Anything new starts the count again, so that running the tests after every change is
 * not a circle. Costs one look-up a call while nothing repeats.
 */
export class Repeats {
  readonly #limits: RepeatLimits;
  readonly #seen = new Map<string, Map<string, Seen>>();
  /** Calls that will be refused, by tool and canonical arguments. Empty in a run that goes well. */
  readonly #circling = new Map<string, Map<string, Repeated>>();
  readonly #failing = new Map<string, { text: string; count: number }>();
  /** Grows with everything new. */
  #epoch = 0;

  constructor(limits: RepeatLimits) {
    this.#limits = limits;
  }

  /** Why a call must not run, or undefined. */
  refusal({ name, arguments: text }: ToolCallPart): string | undefined {
    const repeated = this.#circling.get(name)?.get(canonical(text));
    if (repeated === undefined) return undefined;
    repeated.count += 1;
    return `This call was made ${repeated.count - 1} times with the same arguments and nothing new came of it, so it did not run again.`;
  }

  /** Takes note of a result. What the model should be told, if anything. */
  observe(call: ToolCallPart, result: ToolResult): string | undefined {
    const text = textOf(result.content);
    const failures = this.#failuresInARow(call.name, text, result);
    const count = this.#repeats(call, text);
    if (count >= this.#limits.advise) {
      return `You made this exact call ${count} times with the same result. Use what you have or do something else.`;
    }
    if (failures < this.#limits.advise) return undefined;
    return `${call.name} failed in the same way ${failures} times. Read the message and change your approach.`;
  }

  /** How often this call had this result since anything new happened. */
  #repeats({ name, arguments: args }: ToolCallPart, text: string): number {
    const results = getOrMake(this.#seen, name, () => new Map<string, Seen>());
    const seen = results.get(text);
    if (seen === undefined) {
      const count = this.#somethingNew();
      results.set(text, { first: args, epoch: this.#epoch, calls: undefined });
      forgetOldest(results);
      return count;
    }
    seen.calls ??= new Map([[canonical(seen.first), { count: 1, epoch: seen.epoch }]]);
    const key = canonical(args);
    const repeated = seen.calls.get(key);
    if (repeated === undefined) {
      const count = this.#somethingNew();
      seen.calls.set(key, { count, epoch: this.#epoch });
      forgetOldest(seen.calls);
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

  #failuresInARow(name: string, text: string, { failure }: ToolResult): number {
    if (!BLAMES_MODEL.has(failure?.kind)) {
      if (this.#failing.size > 0) this.#failing.delete(name);
      return 0;
    }
    const last = this.#failing.get(name);
    const count = last?.text === text ? last.count + 1 : 1;
    this.#failing.set(name, { text, count });
    return count;
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

function forgetOldest(map: Map<string, unknown>): void {
  if (map.size > REMEMBERED) map.delete(map.keys().next().value!);
}

/** Arguments that mean the same give the same text. */
function canonical(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return text.trim();
  }
}
