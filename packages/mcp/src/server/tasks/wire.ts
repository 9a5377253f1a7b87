import type { CallToolResult, Result } from "@modelcontextprotocol/server";
import type { ToolResult } from "@toolrig/core";
import { requestsOf } from "../asking.ts";
import type { TaskState } from "./known.ts";
import type { Task } from "./task.ts";

/** Under this key of `_meta` messages before 2026-07-28 say which task they are about. */
export const RELATED_TASK = "io.modelcontextprotocol/related-task";
/** How often clients should ask. */
const POLL_MS = 1_000;
const MAX_NOTE = 500;
const INTERNAL_ERROR = -32_603;

type Status = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** A task as 2025-11-25 has it. A call that came to an error has failed there. */
export function toTask2025(task: Task, state: TaskState, updatedAt: number): Result & { status: Status } {
  const status = statusOf(state, (result) => (result.isError ? "failed" : "completed"));
  const { id: taskId, ttlMs: ttl } = task;
  return { taskId, status, ...messageOf(state), ...timesOf(task, updatedAt), ttl, pollInterval: POLL_MS };
}

export function toCreated2025(task: Task): Result {
  return { task: toTask2025(task, { status: "working" }, task.createdAt) };
}

/** A task as the extension of 2026-07-28 has it: with its result, or with what it asks. */
export function toTask(
  task: Task,
  state: TaskState,
  updatedAt: number,
  told: (result: ToolResult) => CallToolResult,
): Result {
  return {
    ...fieldsOf(task, state, updatedAt),
    ...(state.status === "over" && { result: told(state.result) }),
    ...(state.status === "broken" && { error: { code: INTERNAL_ERROR, message: state.message } }),
    ...(state.status === "input_required" && { inputRequests: requestsOf(state.asked) }),
  };
}

/** What a call is answered with instead of its result. */
export function toCreated(task: Task, note: string | undefined): Result {
  return { resultType: "task", ...fieldsOf(task, { status: "working", note }, task.createdAt) };
}

function fieldsOf(task: Task, state: TaskState, updatedAt: number): Result {
  const status = statusOf(state, () => "completed");
  const { id: taskId, ttlMs } = task;
  return { taskId, status, ...messageOf(state), ...timesOf(task, updatedAt), ttlMs, pollIntervalMs: POLL_MS };
}

function statusOf(state: TaskState, ended: (result: ToolResult) => Status): Status {
  if (state.status === "over") return ended(state.result);
  return state.status === "broken" ? "failed" : state.status;
}

function messageOf(state: TaskState): { statusMessage?: string } {
  const note = state.status === "working" ? state.note : undefined;
  return note === undefined ? {} : { statusMessage: note.slice(0, MAX_NOTE) };
}

function timesOf({ createdAt }: Task, updatedAt: number) {
  return {
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(Math.max(createdAt, updatedAt)).toISOString(),
  };
}
