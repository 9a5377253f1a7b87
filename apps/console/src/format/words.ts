import type { Blame, CallLine, CallState, RunLine } from "@toolrig/server/wire";
import { ago, duration, now, roughly } from "./time.ts";

export const CALL_STATES: readonly CallState[] = ["running", "waiting", "ok", "failed", "unknown"];
export const BLAMES: readonly Blame[] = ["model", "tool", "world", "policy", "caller"];

export const STATE_WORDS: Record<CallState, string> = {
  running: "running",
  waiting: "waiting",
  ok: "done",
  failed: "failed",
  unknown: "outcome unknown",
};

export const BLAME_WORDS: Record<Blame, string> = {
  model: "the model's fault",
  tool: "the tool's fault",
  world: "the world's fault",
  policy: "refused by policy",
  caller: "stopped by the caller",
};

const WAIT_WORDS = {
  approval: "waits for an approval",
  question: "waits for an answer",
  deferred: "waits for its result",
  external: "waits for a result from elsewhere",
  background: "goes on in the background",
} as const;

export const RUN_STATES: Record<RunLine["state"], CallState> = {
  running: "running",
  waiting: "waiting",
  answered: "ok",
  ended: "ok",
  failed: "failed",
  aborted: "failed",
  open: "waiting",
};

export const RUN_WORDS: Record<RunLine["state"], string> = {
  running: "running",
  waiting: "waiting",
  answered: "answered",
  ended: "ended",
  failed: "failed",
  aborted: "aborted",
  open: "left open",
};

/** What a colleague would say of a call, in one line. */
export function callWords(line: CallLine): string {
  if (line.waiting !== undefined) return waitWords(line.waiting, line.note);
  if (line.failure !== undefined) return line.failure.message;
  if (line.state === "running") return line.note ?? "";
  return line.note ?? "";
}

export function waitWords(waiting: NonNullable<CallLine["waiting"]>, note?: string): string {
  const since = `since ${roughly(Math.max(0, now.value - waiting.since))}`;
  const until = waiting.expiresAt === undefined ? "" : `, expires ${ago(waiting.expiresAt)}`;
  return `${WAIT_WORDS[waiting.kind]} ${since}${until}${note === undefined ? "" : `: ${note}`}`;
}

/** How long a call took, or takes already. */
export function callDuration(line: CallLine): string {
  if (line.durationMs !== undefined) return duration(line.durationMs);
  return line.endedAt === undefined
    ? duration(Math.max(0, now.value - line.startedAt))
    : duration(line.endedAt - line.startedAt);
}
