import type { ProgressUpdate, ToolResult, Waiting } from "@toolrig/core";
import { callsOf, type ToolCallPart, type UserMessage } from "../model/message.ts";
import type { LoopEvent } from "../run/loop-event.ts";

type Spoken = "text" | "reasoning";

/**
 * A step of a run that a user interface shows. Every part that is opened is closed before the next one of its kind is opened, and every
 * call that starts comes to `call`, `call.void` or `void`.
 */
export type UiFact =
  | { type: "start"; runId: string; resumed: boolean }
  | { type: "step.start"; turn: number }
  | { type: "step.end"; turn: number }
  /** The model is asked again: everything shown since `step.start` is void, with these calls that had begun. */
  | { type: "void"; turn: number; callIds: string[] }
  | { type: "part.start"; kind: Spoken; id: string }
  | { type: "part.delta"; kind: Spoken; id: string; text: string }
  | { type: "part.end"; kind: Spoken; id: string }
  | { type: "call.start"; callId: string; name: string }
  | { type: "call.delta"; callId: string; delta: string }
  /** The call as the model wrote it. `streamed`: its start and its arguments came before. */
  | { type: "call"; call: ToolCallPart; streamed: boolean }
  /** A call that was begun, and is not made: its response ended before it. */
  | { type: "call.void"; callId: string }
  | { type: "call.progress"; callId: string; update: ProgressUpdate }
  | { type: "call.waiting"; callId: string; executionId: string; name: string; waiting: Waiting }
  | { type: "call.resumed"; callId: string; executionId: string; waiting: Waiting; how: string }
  | { type: "call.result"; result: ToolResult }
  /** A user message that was added while the run was under way. */
  | { type: "said"; id: string; message: UserMessage };

/** Turns the events of one run into facts for user interfaces. Calls that tools make are left out: they are no part of the conversation. */
export class UiFacts {
  #open: { kind: Spoken; id: string } | undefined;
  #parts = 0;
  /** Calls of the current response whose arguments are being streamed. */
  readonly #streaming = new Set<string>();
  /** Ids of calls of earlier responses. A provider may use one again; the loop then replaces it in the message. */
  readonly #known = new Set<string>();
  #isStarted = false;
  #isUnderWay = false;

  take(event: LoopEvent): UiFact[] {
    switch (event.type) {
      case "run.start":
        this.#isStarted = true;
        return [{ type: "start", runId: event.runId, resumed: event.resumed }];
      case "turn.start":
        this.#isUnderWay = true;
        return [{ type: "step.start", turn: event.turn }];
      case "text":
      case "reasoning":
        return event.text === "" ? [] : this.#say(event.type, event.text, event.turn);
      case "tool-call.delta":
        return this.#write(event.callId, event.name, event.delta);
      case "model.retry":
        return [...this.#close(), { type: "void", turn: event.turn, callIds: this.#unmade() }];
      case "message":
        return this.#message(event);
      case "turn.end":
        return [...this.#close(), ...this.#giveUp(), { type: "step.end", turn: event.turn }];
      default:
        return this.#call(event);
    }
  }

  /** Closes what is open when the run ends. A run that was over before it was read has a start all the same. */
  end(runId: string): UiFact[] {
    return this.#isStarted
      ? [...this.#close(), ...this.#giveUp()]
      : [{ type: "start", runId, resumed: false }];
  }

  #say(kind: Spoken, text: string, turn: number): UiFact[] {
    const facts: UiFact[] = [];
    if (this.#open?.kind !== kind) {
      facts.push(...this.#close());
      this.#parts += 1;
      this.#open = { kind, id: `${turn}-${this.#parts}` };
      facts.push({ type: "part.start", ...this.#open });
    }
    if (this.#open !== undefined) facts.push({ type: "part.delta", ...this.#open, text });
    return facts;
  }

  #close(): UiFact[] {
    if (this.#open === undefined) return [];
    const closed: UiFact = { type: "part.end", ...this.#open };
    this.#open = undefined;
    return [closed];
  }

  #write(callId: string, name: string, delta: string): UiFact[] {
    if (callId === "" || this.#known.has(callId)) return [];
    const facts = this.#close();
    if (!this.#streaming.has(callId)) {
      this.#streaming.add(callId);
      facts.push({ type: "call.start", callId, name });
    }
    if (delta !== "") facts.push({ type: "call.delta", callId, delta });
    return facts;
  }

  #message({ message, seq }: Extract<LoopEvent, { type: "message" }>): UiFact[] {
    if (message.role === "user")
      return this.#isUnderWay ? [...this.#close(), { type: "said", id: `said-${seq}`, message }] : [];
    if (message.role !== "assistant") return [];
    const calls = callsOf(message).map((call): UiFact => {
      this.#known.add(call.id);
      return { type: "call", call, streamed: this.#streaming.delete(call.id) };
    });
    return [...this.#close(), ...calls, ...this.#giveUp()];
  }

  /** Calls that were begun, and that the response has not made. */
  #unmade(): string[] {
    const callIds = [...this.#streaming];
    this.#streaming.clear();
    return callIds;
  }

  #giveUp(): UiFact[] {
    return this.#unmade().map((callId) => ({ type: "call.void", callId }));
  }

  #call(event: LoopEvent): UiFact[] {
    if (!("executionId" in event) || event.parentId !== undefined) return [];
    const { callId, executionId, name } = event;
    switch (event.type) {
      case "call.update":
        return [{ type: "call.progress", callId, update: event.update }];
      case "call.waiting":
        return [{ type: "call.waiting", callId, executionId, name, waiting: event.waiting }];
      case "call.resumed":
        return [{ type: "call.resumed", callId, executionId, waiting: event.waiting, how: event.how }];
      case "call.end":
        return event.result.waiting === undefined ? [{ type: "call.result", result: event.result }] : [];
      default:
        return [];
    }
  }
}
