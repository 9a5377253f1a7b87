import type { ToolResult } from "@toolrig/core";
import type { JournalEntry } from "@toolrig/core/kit";
import {
  type AssistantMessage,
  callsOf,
  type Message,
  type ToolCallPart,
  toolMessage,
} from "../model/message.ts";
import type { Spent } from "./allowance.ts";

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
  /** Calls that were about to run when the journal ends, with the ids under which they may be known. */
  open: { message: AssistantMessage; calls: ToolCallPart[]; executionIds: string[] } | undefined;
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
    end: undefined,
  };
  let results: ToolResult[] = [];
  for (const entry of entries) {
    if (entry.type === "end") {
      recorded.end = entry.outcome;
      continue;
    }
    if (entry.type === "step" || entry.type === "principal") continue;
    recorded.end = undefined;
    recorded.turn = Math.max(recorded.turn, entry.turn);
    if (entry.type === "message") recorded.messages.push(entry.message as Message);
    else if (entry.type === "spent") {
      recorded.spent.calls += entry.calls;
      recorded.spent.tokens += entry.tokens;
    } else if (entry.type === "calls") {
      recorded.open = openCalls(recorded.messages, entry.calls);
      results = [];
    } else if (recorded.open !== undefined) {
      results.push(entry.result);
      if (results.length < recorded.open.calls.length) continue;
      recorded.messages.push(toolMessage(results));
      recorded.rounds += 1;
      recorded.calls += results.length;
      recorded.callsRun += results.filter(({ cached }) => cached !== true).length;
      recorded.open = undefined;
    }
  }
  return recorded;
}

function openCalls(
  messages: readonly Message[],
  begun: Extract<JournalEntry, { type: "calls" }>["calls"],
): Recorded["open"] {
  const message = messages.at(-1) as AssistantMessage;
  return { message, calls: callsOf(message), executionIds: begun.map(({ executionId }) => executionId) };
}
