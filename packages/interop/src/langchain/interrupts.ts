import type { PeerCall } from "../beneath/seat.ts";
import type { LangChainConfig } from "./shape.ts";

/** Whether the graph that a tool runs in can be interrupted, and resumed with an answer. */
export function mayInterrupt(config: LangChainConfig): boolean {
  return Boolean(config.configurable?.__pregel_checkpointer) && taskOf(config) !== undefined;
}

/** What a graph keeps for one task while that runs: new each time the task is run again. */
function taskOf({ configurable }: LangChainConfig): object | undefined {
  const scratchpad = configurable?.__pregel_scratchpad;
  return typeof scratchpad === "object" && scratchpad !== null ? scratchpad : undefined;
}

/** The place of a call among those of its task. */
export interface Place {
  /** Those before it have been asked about, or are over: it may be asked about. */
  turn: Promise<unknown>;
  /** It has been asked about, or is over. */
  leave(): void;
}

/**
 * LangGraph hands out answers by position: the first interrupt of a task gets the first of them. So calls of one task, which run at
 * the same time, are asked about in the order of the message, each time the task is run again; else one would get another's answer.
 */
export class InterruptOrder {
  /** When all that have come so far have left. */
  readonly #last = new WeakMap<object, Promise<unknown>>();

  /** To be called in the order of the calls. */
  enter(config: LangChainConfig): Place {
    const task = taskOf(config);
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = (task && this.#last.get(task)) ?? Promise.resolve();
    if (task !== undefined) this.#last.set(task, Promise.all([turn, promise]));
    return { turn, leave: resolve };
  }
}

/** The answer to a question about a call. Throws what interrupts the graph when there is none yet. */
export async function interruptFor(
  { id, name, arguments: args }: PeerCall,
  place: Place | undefined,
): Promise<unknown> {
  const { interrupt } = await import("@langchain/langgraph");
  await place?.turn;
  const answer = interrupt({ type: "approval", tool: name, callId: id, arguments: args });
  place?.leave();
  return answer;
}

/** What a graph was resumed with. Whatever is no clear yes is a no. */
export function decisionOf(resumed: unknown): { approved: boolean; reason?: string; args?: unknown } {
  if (typeof resumed === "boolean") return { approved: resumed };
  const { approved, reason, args } = (resumed ?? {}) as Record<string, unknown>;
  return {
    approved: approved === true,
    ...(typeof reason === "string" && { reason }),
    ...(args !== undefined && { args }),
  };
}
