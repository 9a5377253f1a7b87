import type { Message } from "@toolrig/agent";
import { type Redactor, textOf } from "@toolrig/core";
import type { JournalEntry, RunSummary } from "@toolrig/core/kit";
import { defined } from "@toolrig/core/kit";
import type { StoredRecord } from "@toolrig/store";
import type { CallLine, InboxItem, RunCall, RunDetail, RunLine } from "../wire.ts";
import { lineOfRecord } from "./call-line.ts";
import { runCommands } from "./commands.ts";
import { runLine } from "./run-line.ts";
import type { TrackedCall } from "./tracked-call.ts";

export interface RunSources {
  summary: RunSummary;
  entries: readonly JournalEntry[];
  records: readonly StoredRecord[];
  tracked: readonly TrackedCall[];
  /** Of calls that wait with nothing in memory. */
  waiting: readonly CallLine[];
  waitingFor: InboxItem[];
  children: RunLine[];
  isHere: boolean;
  redactor: Redactor;
}

/** A run, turn by turn, with its transcript. */
export function runDetail(sources: RunSources): RunDetail {
  const { summary, entries, redactor, waitingFor, children } = sources;
  const calls = callsOf(sources);
  const failures = calls.filter(({ line: { state } }) => state === "failed" || state === "unknown").length;
  const line: RunLine = {
    ...runLine(summary, sources.isHere, redactor),
    calls: calls.length,
    failures,
  };
  return {
    line,
    turns: turnsOf(entries, calls, summary),
    transcript: transcriptOf(entries, redactor),
    ...(summary.end !== undefined && { outcome: redactor.value(summary.end.outcome) }),
    waitingFor,
    children,
    commands: runCommands(line),
  };
}

function callsOf({ records, tracked, waiting, redactor }: RunSources): RunCall[] {
  const calls = new Map<string, RunCall>();
  for (const line of waiting) {
    const segment = {
      kind: line.waiting?.kind === "approval" ? "approval" : "wait",
      startAt: line.startedAt,
    } as const;
    calls.set(line.executionId, { line, segments: [segment] });
  }
  for (const record of records)
    if (record.result.replayed !== true || !calls.has(record.executionId))
      calls.set(record.executionId, { line: lineOfRecord(record, redactor), segments: segmentsOf(record) });
  for (const call of tracked) {
    const line = call.line(redactor);
    const kind =
      line.state === "waiting" ? (line.waiting?.kind === "approval" ? "approval" : "wait") : "execute";
    calls.set(line.executionId, { line, segments: [{ kind, startAt: line.startedAt }] });
  }
  return [...calls.values()];
}

/** Where the time of a call went, on the run's axis. */
function segmentsOf({
  startTime,
  timing,
  retries = [],
  waits = [],
  endTime,
}: StoredRecord): RunCall["segments"] {
  const { prepareMs, waitMs, runMs } = timing;
  const pausedMs = Math.min(
    runMs,
    retries.reduce((sum, { delayMs }) => sum + delayMs, 0),
  );
  const approvedMs = waits.reduce((sum, { kind, waitedMs }) => sum + (kind === "approval" ? waitedMs : 0), 0);
  const worldMs = waits.reduce((sum, { kind, waitedMs }) => sum + (kind === "approval" ? 0 : waitedMs), 0);
  const approval = Math.min(waitMs, approvedMs);
  const wait = Math.min(waitMs - approval, worldMs);
  const parts: [RunCall["segments"][number]["kind"], number][] = [
    ["policy", prepareMs],
    ["approval", approval],
    ["queue", waitMs - approval - wait],
    ["execute", runMs - pausedMs],
    ["retry", pausedMs],
    ["wait", wait],
  ];
  let at = startTime;
  return parts.flatMap(([kind, ms]) => {
    if (ms <= 0) return [];
    const segment = { kind, startAt: at, endAt: Math.min(endTime, at + ms) };
    at += ms;
    return [segment];
  });
}

function turnsOf(
  entries: readonly JournalEntry[],
  calls: readonly RunCall[],
  { header, updatedAt, end }: RunSummary,
): RunDetail["turns"] {
  const turnOf = new Map<string, number>();
  const numbers = new Set<number>();
  for (const entry of entries) {
    if (!("turn" in entry) || entry.turn < 1) continue;
    numbers.add(entry.turn);
    if (entry.type === "calls")
      for (const { executionId } of entry.calls) turnOf.set(executionId, entry.turn);
  }
  const byId = new Map(calls.map((call) => [call.line.executionId, call]));
  // What a tool called is in the turn of the tool's call.
  const turnOfCall = ({ line }: RunCall): number | undefined => {
    let at: CallLine | undefined = line;
    for (let steps = 0; at !== undefined && steps < 100; steps++) {
      const turn = turnOf.get(at.executionId);
      if (turn !== undefined) return turn;
      at = at.parentId === undefined ? undefined : byId.get(at.parentId)?.line;
    }
    return undefined;
  };
  const first = 1;
  const grouped = Map.groupBy(calls, (call) => turnOfCall(call) ?? first);
  for (const turn of grouped.keys()) numbers.add(turn);
  const sorted = [...numbers].sort((a, b) => a - b);
  let began = header.startedAt;
  return sorted.map((turn, index) => {
    const those = (grouped.get(turn) ?? []).sort((a, b) => a.line.startedAt - b.line.startedAt);
    const startedAt = Math.max(began, Math.min(those[0]?.line.startedAt ?? began, Number.MAX_SAFE_INTEGER));
    const ends = those.map(({ line }) => line.endedAt);
    const isLast = index === sorted.length - 1;
    const endedAt = ends.includes(undefined)
      ? undefined
      : isLast && end !== undefined
        ? updatedAt
        : those.length > 0
          ? Math.max(...ends.map((at) => at ?? 0))
          : isLast
            ? undefined
            : startedAt;
    began = endedAt ?? startedAt;
    return { turn, startedAt, ...defined({ endedAt }), calls: those };
  });
}

function transcriptOf(entries: readonly JournalEntry[], redactor: Redactor): RunDetail["transcript"] {
  const executionOf = new Map<string, string>();
  for (const entry of entries)
    if (entry.type === "calls")
      for (const { executionId, call } of entry.calls)
        executionOf.set(`${entry.turn} ${call.id}`, executionId);
  return entries.flatMap((entry): RunDetail["transcript"] => {
    const said = (content: unknown) =>
      redactor.text(typeof content === "string" ? content : textOf(content as never));
    if (entry.type === "result") {
      const { executionId, isError, content } = entry.result;
      return [{ turn: entry.turn, role: "tool", text: said(content), executionId, isError }];
    }
    if (entry.type !== "message") return [];
    const { turn } = entry;
    const message = entry.message as Message;
    if (message.role === "tool")
      return message.results.map(({ executionId, isError, content }) => ({
        turn,
        role: "tool" as const,
        text: said(content),
        executionId,
        isError,
      }));
    if (message.role !== "assistant") return [{ turn, role: message.role, text: said(message.content) }];
    const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    const calls = message.content.flatMap((part) => {
      if (part.type !== "tool-call") return [];
      const executionId = executionOf.get(`${turn} ${part.id}`);
      return [{ callId: part.id, name: part.name, ...defined({ executionId }) }];
    });
    return [{ turn, role: "assistant", text: redactor.text(text), ...(calls.length > 0 && { calls }) }];
  });
}
