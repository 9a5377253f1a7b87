import type { CallEvent } from "@toolrig/core";
import type { CallFact } from "@toolrig/core/kit";
import type { FinishReason, Usage } from "../model/engine.ts";
import type { ResponseFact } from "../model/infer.ts";
import type { Message } from "../model/message.ts";
import type { RunOutcome } from "./outcome.ts";
import type { Trace } from "./trace.ts";

interface LoopEventBase extends Trace {
  /** Grows by one with every event of a run. */
  seq: number;
  /** Epoch milliseconds. */
  at: number;
}

/**
 * One ordered stream a run: `run.start` first, `run.end` last and exactly once. Turns do not overlap; every
 * `turn.start` has its `turn.end`, every `call.start` its `call.end` before the turn that made the call ends.
 */
export type LoopEvent = LoopEventBase & (LoopFact | CallInLoop);

export type LoopFact =
  | { type: "run.start"; input: unknown; resumed: boolean }
  | { type: "turn.start"; turn: number; engine: string; tools: number }
  | ResponseFact
  /** Appended to the transcript. */
  | { type: "message"; turn: number; message: Message }
  | { type: "turn.end"; turn: number; finishReason: FinishReason | "aborted"; usage?: Usage; calls: number }
  /** The reader was too slow, and this many events were left out before the next one. */
  | { type: "events.dropped"; count: number }
  | { type: "run.end"; outcome: RunOutcome };

/** What the executor reports of the run's calls, in place among the run's own events. */
export type CallInLoop = Omit<CallEvent, "seq" | "at" | "type" | keyof Trace> & CallFact;
