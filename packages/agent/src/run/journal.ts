import type { ToolResult, Waiting } from "@toolrig/core";
import type { JournalEntry } from "@toolrig/core/kit";
import {
  type AssistantMessage,
  callsOf,
  type Message,
  type ToolCallPart,
  toolMessage,
} from "../model/message.ts";
import type { Spent } from "./allowance.ts";
import type { WaitingCall } from "./outcome.ts";

/** A result as it is written down. The value is left out: the content says it, and it need not be plain data. */
export function plainResult({ value: _, details, ...result }: ToolResult): ToolResult {
  return isPlain(details) ? { ...result, details } : result;
}

function isPlain(details: unknown): boolean {
  if (details === undefined) return false;
  try {
    return JSON.stringify(details) !== undefined;
  } catch {
    return false;
  }
}

/** Calls that were about to run when the journal ends. */
export interface OpenCalls {
  message: AssistantMessage;
  calls: ToolCallPart[];
  /** The ids under which they may be known. */
  executionIds: string[];
  /** Of those that were over when the run was suspended, by position. */
  results: (ToolResult | undefined)[];
}

/** A call that the model was told is not over, and whose result it has not been given. */
export interface CallOut {
  call: ToolCallPart;
  executionId: string;
  waiting: Waiting;
}

/** A run as its journal tells it. */
export interface Recorded {
  messages: Message[];
  /** The last turn that was begun. */
  turn: number;
  /** Rounds of results that were fed back. */
  rounds: number;
  /** Calls of those rounds. */
  calls: number;
  /** Of those, the ones that were not answered from memory. */
  callsRun: number;
  /** What runs that calls of those rounds have started took. */
  spent: Spent;
  open: OpenCalls | undefined;
  out: Map<string, CallOut>;
  /** What the run was suspended for, if that is the last that is known of it. */
  waits: readonly WaitingCall[];
  /** How the run ended, if it did. */
  end: unknown;
}

/** Rebuilds a run from its journal. */
export function replay(entries: readonly JournalEntry[]): Recorded {
  const recorded: Recorded = {
    messages: [],
    turn: 0,
    rounds: 0,
    calls: 0,
    callsRun: 0,
    spent: { calls: 0, tokens: 0 },
    open: undefined,
    out: new Map(),
    waits: [],
    end: undefined,
  };
  for (const entry of entries) take(recorded, entry);
  return recorded;
}

function take(recorded: Recorded, entry: JournalEntry): void {
  if (entry.type === "step" || entry.type === "principal") return;
  recorded.end = entry.type === "end" ? entry.outcome : undefined;
  recorded.waits = entry.type === "waiting" ? (entry.outcome as { waits: WaitingCall[] }).waits : [];
  if (!("turn" in entry)) return;
  recorded.turn = Math.max(recorded.turn, entry.turn);
  if (entry.type === "message") takeMessage(recorded, entry.message as Message);
  else if (entry.type === "spent") {
    recorded.spent.calls += entry.calls;
    recorded.spent.tokens += entry.tokens;
  } else if (entry.type === "calls") recorded.open = openCalls(recorded.messages, entry.calls);
  else if (recorded.open !== undefined) takeResult(recorded, recorded.open, entry.result);
}

function takeMessage(recorded: Recorded, message: Message): void {
  recorded.messages.push(message);
  if (message.role === "user" && message.result !== undefined)
    recorded.out.delete(message.result.executionId);
  if (message.role === "assistant" && message.finishReason === "pause" && callsOf(message).length === 0)
    recorded.rounds += 1;
}

function takeResult(recorded: Recorded, open: OpenCalls, result: ToolResult): void {
  const { calls, results } = open;
  const named = calls.findIndex(({ id }, index) => id === result.callId && results[index] === undefined);
  const index = named === -1 ? results.indexOf(undefined) : named;
  results[index] = result;
  const { waiting, executionId } = result;
  const call = calls[index];
  if (waiting !== undefined && call !== undefined)
    recorded.out.set(executionId, { call, executionId, waiting });
  if (!isComplete(results)) return;
  recorded.messages.push(toolMessage(results));
  recorded.rounds += 1;
  recorded.calls += results.length;
  recorded.callsRun += results.filter(({ cached }) => cached !== true).length;
  recorded.open = undefined;
}

function isComplete(results: (ToolResult | undefined)[]): results is ToolResult[] {
  return !results.includes(undefined);
}

function openCalls(
  messages: readonly Message[],
  begun: Extract<JournalEntry, { type: "calls" }>["calls"],
): OpenCalls {
  const message = messages.at(-1) as AssistantMessage;
  const calls = callsOf(message);
  return {
    message,
    calls,
    executionIds: begun.map(({ executionId }) => executionId),
    results: calls.map(() => undefined),
  };
}
