import { defined } from "@toolrig/core/kit";
import type { PeerCall } from "../beneath/seat.ts";
import type { LangChainConfig } from "./shape.ts";

/** What a graph keeps for one task while that runs: new each time the task is run again. */
interface Task {
  /** How many interrupts the task has come to, less one. */
  interruptCounter: number;
  /** Answers to the first of them. */
  resume: readonly unknown[];
  /** The one value that the graph was resumed with, until the task has taken it. */
  nullResume?: unknown;
}

/** Whether the graph that a tool runs in can be interrupted, and resumed with an answer. */
export function mayInterrupt(config: LangChainConfig): boolean {
  return Boolean(config.configurable?.__pregel_checkpointer) && taskOf(config) !== undefined;
}

export function taskOf({ configurable }: LangChainConfig): Task | undefined {
  const scratchpad = configurable?.__pregel_scratchpad;
  return typeof scratchpad === "object" && scratchpad !== null ? (scratchpad as Task) : undefined;
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

/** What the next interrupt of a task would be answered with, where every task that waits would be. */
export function sharedAnswer(config: LangChainConfig): unknown {
  const task = taskOf(config);
  const isOwn = task !== undefined && task.interruptCounter + 1 < task.resume.length;
  return isOwn ? undefined : task?.nullResume;
}

/** The answer to a question about a call. Throws what interrupts the graph when there is none yet. */
export async function answerTo(call: PeerCall): Promise<unknown> {
  const { interrupt } = await import("@langchain/langgraph");
  return interrupt(questionOf(call));
}

/** Interrupts the graph. What it was resumed with is left to other tasks. */
export async function askAgain(call: PeerCall, config: LangChainConfig): Promise<never> {
  delete taskOf(config)?.nullResume;
  await answerTo(call);
  throw new Error("The graph was not interrupted, although there is no answer.");
}

function questionOf({ id, name, arguments: args }: PeerCall) {
  return { type: "approval", tool: name, callId: id, arguments: args };
}

/** What a graph was resumed with. Whatever is no clear yes is a no, and so is what names another call. */
export function decisionOf(
  resumed: unknown,
  { id }: Pick<PeerCall, "id">,
): { approved: boolean; reason?: string; args?: unknown } {
  if (typeof resumed === "boolean") return { approved: resumed };
  const { approved, reason, args, callId = id } = (resumed ?? {}) as Record<string, unknown>;
  if (callId !== id) return { approved: false, reason: "the answer that came is about another call" };
  return {
    approved: approved === true,
    ...(typeof reason === "string" && { reason }),
    ...defined({ args }),
  };
}
