import { setTimeout as pause } from "node:timers/promises";
import { ToolFailure, ToolrigError, type Waits } from "@toolrig/core";
import { waitId } from "@toolrig/core/kit";
import type { KvWaits } from "../../store/waits.ts";
import type { CallLedger } from "../../wire/call-ledger.ts";
import { type Completing, encodeCompleting, readCompleting } from "../../wire/completions.ts";
import type { ParkedWaits } from "./parked-waits.ts";

export interface EarlyParts {
  ledger: CallLedger;
  store: ParkedWaits;
  kept: KvWaits;
  waits: Waits;
}

/** Less than those who bring a result wait for word of it. */
const HOLD_MS = 8_000;
const LOOK_MS = 25;
const MAX_LOOK_MS = 400;
/** How many of them one worker holds. */
const AT_ONCE = 256;

/**
 * Results that come before their calls are parked: a service may be faster than the tool that asked it. Whichever worker takes
 * one keeps it in the fleet, and whichever worker parks the call completes it.
 */
export class Early {
  readonly #parts: EarlyParts;
  #held = 0;

  constructor(parts: EarlyParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the call is parked or over, with whether its result is kept until then. Rejects with `STORE_FAILED` when the call
   * takes longer than whoever brings it waits: it is kept then, and counts as soon as the call is parked.
   */
  async hold(completing: Completing): Promise<boolean> {
    const { execution, update } = completing;
    if (!(await this.#isToCome(execution))) return false;
    if (this.#held >= AT_ONCE)
      throw new ToolrigError("STORE_FAILED", "Too many results came early. Try again.");
    this.#held += 1;
    try {
      const { early } = this.#parts.kept;
      const isKept = update === undefined && (await early.add(execution, textOf(completing)));
      const until = Date.now() + HOLD_MS;
      for (
        let lookMs = LOOK_MS;
        await this.#isToCome(execution);
        lookMs = Math.min(2 * lookMs, MAX_LOOK_MS)
      ) {
        if (Date.now() > until) throw new ToolrigError("STORE_FAILED", toCome(execution, isKept));
        await pause(lookMs);
      }
      // It is over, or its worker has parked it and may not have seen what came at the same moment.
      if (isKept && (await this.#wait(execution)) === undefined) await early.remove(execution);
      return isKept;
    } finally {
      this.#held -= 1;
    }
  }

  /** Whether the call was completed by this, perhaps by the worker that parked it. */
  async hasCounted(completing: Completing): Promise<boolean> {
    const { execution, token } = completing;
    const end = (await this.#wait(execution))?.end;
    if (end?.how !== "completed" || !(await this.#parts.waits.hasToken(execution, token))) return false;
    const { given } = completing;
    const body = ToolFailure.isInstance(given) ? { failure: given.failure } : { value: given };
    return JSON.stringify(end.body) === JSON.stringify(body);
  }

  /** Completes a call that was just parked with what came for it before. Never rejects: who brought it tries, too. */
  async bring(execution: string): Promise<void> {
    const { kept, waits } = this.#parts;
    try {
      const texts = await kept.early.list(execution);
      if (texts.length === 0) return;
      for (const text of texts) {
        const { token, given } = readCompleting(text);
        if (await isRefused(waits.complete(execution, token, given))) continue;
        break;
      }
      await kept.early.remove(execution);
    } catch {
      // It is kept until the call is over.
    }
  }

  /** Whether the call runs and is not parked. */
  async #isToCome(execution: string): Promise<boolean> {
    const [key] = KEY.exec(execution) ?? [];
    if (key === undefined || (await this.#wait(execution)) !== undefined) return false;
    return (await this.#parts.ledger.read(key))?.state.state === "started";
  }

  #wait(execution: string) {
    return this.#parts.store.get(waitId(execution, "result"));
  }
}

/** The ledger's key of an execution, also of one within it. */
const KEY = /^[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]+(?=\.|$)/;

function textOf({ execution, token, given }: Completing): string {
  return encodeCompleting(execution, token, given);
}

function toCome(execution: string, isKept: boolean): string {
  return isKept
    ? `Execution ${execution} still runs. The result is kept and counts once the call waits for it; ask for the result of the call.`
    : `Execution ${execution} still runs, and waits for nothing yet. Try again.`;
}

async function isRefused(completing: Promise<unknown>): Promise<boolean> {
  try {
    await completing;
    return false;
  } catch (error) {
    if (ToolrigError.isInstance(error) && error.code === "COMPLETION_REFUSED") return true;
    throw error;
  }
}
