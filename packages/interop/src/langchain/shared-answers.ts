import { unwrapped } from "../beneath/raw-arguments.ts";
import type { PeerCall, Seat } from "../beneath/seat.ts";
import { taskOf } from "./interrupts.ts";
import { type LangChainConfig, lastCalls } from "./shape.ts";

/** Answers that are remembered. */
const MOST = 10_000;

/**
 * Whose the one value is that a graph was resumed with. Calls that ask may be in tasks of their own, and LangGraph hands it to all of
 * them: it is the answer to the call that it names, else to the first in the message whose question is open. The others are asked
 * about again.
 */
export class SharedAnswers {
  /** Executions that have taken such a value, with those after them that have been asked about since. */
  readonly #taken = new Map<string, Set<string>>();
  /** Executions that have been asked about in a task, which gets its answers one after the other. */
  readonly #inTask = new WeakMap<object, Set<string>>();

  /** Whether a call may take the value. If so it has to, and no other does. */
  async mayTake(value: unknown, seat: Seat, call: PeerCall, config: LangChainConfig): Promise<boolean> {
    const { callId } = (value ?? {}) as { callId?: unknown };
    if (callId !== undefined) return callId === call.id;
    const own = seat.executionId(call);
    const inTask = this.#askedWith(config);
    for (const before of callsBefore(seat, call, config)) {
      const id = seat.executionId(before);
      if (inTask.has(id)) continue;
      const isOpen = (await seat.asked(before)) === "open";
      const since = this.#taken.get(id);
      if (since === undefined ? isOpen : !since.has(own)) return false;
    }
    this.#take(own);
    return true;
  }

  /** A call is asked about: what comes after this is not the answer that another has taken. */
  ask(seat: Seat, call: PeerCall, config: LangChainConfig): void {
    const own = seat.executionId(call);
    this.#askedWith(config).add(own);
    for (const before of callsBefore(seat, call, config)) this.#taken.get(seat.executionId(before))?.add(own);
  }

  #askedWith(config: LangChainConfig): Set<string> {
    const task = taskOf(config) ?? {};
    const asked = this.#inTask.get(task) ?? new Set();
    this.#inTask.set(task, asked);
    return asked;
  }

  #take(id: string): void {
    if (!this.#taken.has(id)) this.#taken.set(id, new Set());
    const [oldest] = this.#taken.keys();
    if (this.#taken.size > MOST && oldest !== undefined) this.#taken.delete(oldest);
  }
}

/** Those of the same message that stand before a call. */
function callsBefore(
  seat: Seat,
  call: PeerCall,
  { state }: LangChainConfig,
): Pick<PeerCall, "id" | "arguments">[] {
  const calls = lastCalls(state).map(({ id = "", args }) => ({ id, ...unwrapped(args) }));
  const own = seat.executionId(call);
  const at = calls.findIndex((each) => seat.executionId(each) === own);
  return calls.slice(0, Math.max(at, 0));
}
