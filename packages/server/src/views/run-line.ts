import type { Redactor } from "@toolrig/core";
import type { RunSummary } from "@toolrig/core/kit";
import { defined } from "@toolrig/core/kit";
import type { RunLine } from "../wire.ts";
import { excerptOf } from "./gist.ts";

const MAX_TASK = 200;

/** A run on one line. `isHere`: this process runs it. */
export function runLine(run: RunSummary, isHere: boolean, redactor: Redactor): RunLine {
  const { header, turns, entries, updatedAt, end } = run;
  const { runId, kind, startedAt, principal, forkedFrom } = header;
  return {
    runId,
    revision: entries * 2 + (isHere ? 1 : 0),
    kind,
    task: taskOf(header.input, redactor),
    state: stateOf(run, isHere),
    startedAt,
    updatedAt,
    ...(end !== undefined && { endedAt: updatedAt }),
    turns,
    ...defined({ principal: principal?.id, forkedFrom }),
    here: isHere,
  };
}

function stateOf({ end, waiting }: RunSummary, isHere: boolean): RunLine["state"] {
  if (end === undefined) return isHere ? "running" : waiting === undefined ? "open" : "waiting";
  const { status } = (end.outcome ?? {}) as { status?: unknown };
  if (status === "answered" || status === "failed" || status === "aborted") return status;
  return "ended";
}

function taskOf(input: unknown, redactor: Redactor): string {
  if (Array.isArray(input)) {
    const texts = input.flatMap((part: { text?: unknown }) =>
      typeof part?.text === "string" ? [part.text] : [],
    );
    if (texts.length > 0) return excerptOf(texts.join(" "), MAX_TASK, redactor);
  }
  return excerptOf(input, MAX_TASK, redactor);
}
