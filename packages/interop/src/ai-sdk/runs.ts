import { isObject, newId } from "@toolrig/core/kit";
import type { ModelMessage } from "ai";
import type { AssembledRig } from "../beneath/rig-like.ts";
import { type RunIdentity, runIdentity } from "../beneath/run-identity.ts";
import { type PeerCall, Seat } from "../beneath/seat.ts";
import { callsOf, type Place, printOf, shortHash } from "./conversation.ts";
import type { AiSdkCall, AiSdkOptions } from "./options.ts";

/** A call as the AI SDK makes it, by the name that it has for the tool. */
export interface SdkCall extends AiSdkCall {
  toolName: string;
  input: unknown;
}

const MAX_NAMED = 1_000;
/** How many runs are kept that began with the very same message. */
const MAX_SAME = 100;

/** Calls that the model made when it was sent these messages. */
interface Step {
  seat: Seat;
  /** For whom, and what else is said of the run. */
  who: string;
  /** How many messages there were. */
  length: number;
  callIds: Set<string>;
}

/**
 * Which run a call of the AI SDK is part of: the one that was given; else the one that its messages go on with; else the one that
 * asked the question which they answer; else a new one. Nothing is taken for granted by the id of a call, which providers repeat.
 */
export class Runs {
  readonly #rig: AssembledRig;
  readonly #run: AiSdkOptions["run"];
  readonly #named = new Map<string, Seat>();
  /** By the list of messages, of which each step has its own. */
  readonly #steps = new WeakMap<object, Step[]>();
  /** By the input of its calls, which the AI SDK keeps in the messages of the next steps. */
  readonly #inputs = new WeakMap<object, Step>();
  /** By the last message, which whoever answers may still have. */
  readonly #last = new WeakMap<object, Step[]>();

  constructor(rig: AssembledRig, run: AiSdkOptions["run"]) {
    this.#rig = rig;
    this.#run = run;
  }

  of(call: SdkCall, name: string, place: Place): Seat | Promise<Seat> {
    const { answer, at } = place;
    const given = this.given(call);
    if (given.runId !== undefined) return this.named(given);
    const who = JSON.stringify(given);
    const before = answer === undefined ? this.#before(call, who) : this.#asked(call, who, at);
    if (before !== undefined) return this.#addStep(before.seat, who, call);
    if (answer === undefined) return this.#addStep(this.#begin(given, call.messages), who, call);
    return this.#answered(given, name, call, place);
  }

  /** What is said of the run of a call. */
  given(call: AiSdkCall): RunIdentity {
    return runIdentity(typeof this.#run === "function" ? this.#run(call) : this.#run);
  }

  /** The seat of a run that has a name. */
  named(given: RunIdentity): Seat {
    const key = JSON.stringify(given);
    const seat = this.#named.get(key) ?? new Seat(this.#rig, given);
    this.#named.delete(key);
    this.#named.set(key, seat);
    const [oldest] = this.#named.keys();
    if (this.#named.size > MAX_NAMED && oldest !== undefined) this.#named.delete(oldest);
    return seat;
  }

  /** Questions of a run without a name are found again by what users had written until then. */
  #begin(given: RunIdentity, messages: readonly ModelMessage[]): Seat {
    if (this.#rig.approvals === undefined) return new Seat(this.#rig, given);
    return new Seat(this.#rig, { ...given, runId: newId(runPrefix(printOf(messages, messages.length))) });
  }

  /** The step that a call is part of, or the one before. What follows a user's message is another run. */
  #before({ messages }: SdkCall, who: string): Step | undefined {
    const isSame = (step: Step) => step.who === who && step.length === messages.length;
    const known = this.#steps.get(messages)?.find(isSame);
    if (known !== undefined) return known;
    const from = messages.findLastIndex(({ role }) => role === "user");
    for (const message of messages.slice(from + 1).reverse()) {
      for (const { input } of callsOf(message)) {
        const step = isObject(input) ? this.#inputs.get(input) : undefined;
        if (step?.who === who) return step;
      }
    }
    return undefined;
  }

  /** The step that asked about a call which now stands in the messages. Of several that look alike it may be none. */
  #asked({ messages, toolCallId }: SdkCall, who: string, at: number): Step | undefined {
    const last = messages[at - 1];
    const steps = (last && this.#last.get(last)) ?? [];
    const asked = steps.filter((step) => step.who === who && step.callIds.has(toolCallId));
    return new Set(asked.map(({ seat }) => seat)).size === 1 ? asked[0] : undefined;
  }

  #addStep(seat: Seat, who: string, { messages, toolCallId, input }: SdkCall): Seat {
    const { length } = messages;
    let step = this.#steps.get(messages)?.find((each) => each.seat === seat && each.length === length);
    if (step === undefined) {
      step = { seat, who, length, callIds: new Set() };
      add(this.#steps, messages, step);
      const last = messages.at(-1);
      if (last !== undefined) add(this.#last, last, step);
    }
    step.callIds.add(toolCallId);
    if (isObject(input)) this.#inputs.set(input, step);
    return seat;
  }

  /**
   * The run, perhaps of an earlier process, whose question is answered. Where there is none, or no saying which, it is one that is
   * known by the answer alone: whatever that asks was not asked before.
   */
  async #answered(given: RunIdentity, name: string, call: SdkCall, place: Place): Promise<Seat> {
    const { toolCallId: id, messages, input } = call;
    const print = printOf(messages, place.at);
    const runId = await this.asking(given, { id, name, turn: place.turn, arguments: input }, print);
    if (runId !== undefined)
      return this.#addStep(this.named({ ...given, runId }), JSON.stringify(given), call);
    const answered = shortHash([place.answer?.approvalId, print, given]);
    return this.named({ ...given, runId: `run_${answered}` });
  }

  /** The one run without a name that has asked about a call in this place, after these words of users. */
  async asking(given: RunIdentity, call: PeerCall, print: string): Promise<string | undefined> {
    const runs = new Set<string>();
    for (const { pending } of (await this.#rig.approvals?.store.list()) ?? []) {
      const { runId, name, principal, executionId } = pending;
      if (runId === undefined || !runId.startsWith(`${runPrefix(print)}_`)) continue;
      if (name !== call.name || principal?.id !== given.principal?.id) continue;
      if (new Seat(this.#rig, runId).executionId(call) === executionId) runs.add(runId);
    }
    const [found] = runs;
    return runs.size === 1 ? found : undefined;
  }
}

function runPrefix(print: string): string {
  return `run_${print}`;
}

function add(steps: WeakMap<object, Step[]>, key: object, step: Step): void {
  steps.set(key, [...(steps.get(key) ?? []), step].slice(-MAX_SAME));
}
