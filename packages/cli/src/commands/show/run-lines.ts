import { formatDuration, type RunSummary } from "@toolrig/core/kit";
import type { StoredRecord } from "@toolrig/store";
import { excerpt } from "../../terminal/event-text.ts";
import { askedWith } from "../log/asked-with.ts";

/** A run for people: what it was asked, how it ended, and its calls in order. */
export function runLines(
  runId: string,
  run: RunSummary | undefined,
  calls: readonly StoredRecord[],
): (readonly [name: string, value: string])[] {
  return [
    ["run", runId],
    ...(run === undefined ? [] : headLines(run)),
    ...calls.map((record) => ["call", callLine(record)] as const),
  ];
}

function headLines({ header, turns, updatedAt, end, waiting }: RunSummary): (readonly [string, string])[] {
  const { status, error } = (end?.outcome ?? {}) as { status?: string; error?: { message?: string } };
  const forked = header.forkedFrom;
  const unfinished = `${waiting === undefined ? "open" : "waiting"} since ${new Date(updatedAt).toISOString()}`;
  return [
    ["task", excerpt(header.input, 1_000)],
    ["started", new Date(header.startedAt).toISOString()],
    ["status", end === undefined ? unfinished : (status ?? "ended")],
    ...(error?.message === undefined ? [] : [["error", excerpt(error.message, 1_000)] as const]),
    ["turns", String(turns)],
    ...(forked === undefined ? [] : [["forked", `from ${forked.runId} at turn ${forked.turn}`] as const]),
  ];
}

function callLine(record: StoredRecord): string {
  const { executionId, name, result, durationMs } = record;
  const answer = result.failure?.message ?? result.content.find((part) => part.type === "text")?.text ?? "";
  const kind = result.failure?.kind ?? "ok";
  const call = `${kind} ${name} (${formatDuration(durationMs)}) ${executionId}`;
  return `${call}\n${excerpt(askedWith(record), 30)} → ${excerpt(answer, 30)}`;
}
