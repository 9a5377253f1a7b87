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

interface Place {
  callId: string;
  /** It has been asked about, or is over: whoever comes after it may be asked about. */
  left: Promise<void>;
  leave(): void;
}

/**
 * LangGraph hands out answers by position: the first interrupt of a task gets the first of them. So calls of one task, which run at
 * the same time, are asked about in the order of the message, each time the task is run again; else one would get another's answer.
 */
export class InterruptOrder {
  readonly #tasks = new WeakMap<object, Place[]>();

  /** To be called in the order of the calls. */
  enter(config: LangChainConfig, callId: string | undefined): void {
    const task = taskOf(config);
    if (task === undefined || callId === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const places = this.#tasks.get(task) ?? [];
    this.#tasks.set(task, places);
    places.push({ callId, left: promise, leave: resolve });
  }

  leave(config: LangChainConfig, id: string): void {
    this.#placesIn(config)
      .find(({ callId }) => callId === id)
      ?.leave();
  }

  /** The answer to a question about a call. Throws what interrupts the graph when there is none yet. */
  async interrupt(config: LangChainConfig, { id, name, arguments: args }: PeerCall): Promise<unknown> {
    const { interrupt } = await import("@langchain/langgraph");
    for (const { callId, left } of this.#placesIn(config)) {
      if (callId === id) break;
      await left;
    }
    return interrupt({ type: "approval", tool: name, callId: id, arguments: args });
  }

  #placesIn(config: LangChainConfig): readonly Place[] {
    const task = taskOf(config);
    return (task && this.#tasks.get(task)) ?? [];
  }
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
