import type { CallOptions, ToolResult } from "@toolrig/core";
import type { Asked } from "../asking.ts";
import type { Task } from "./task.ts";

/** How a task stands. */
export type TaskState =
  | { status: "working"; note?: string | undefined }
  | { status: "input_required"; asked: readonly Asked[] }
  | { status: "over"; result: ToolResult }
  | { status: "broken"; message: string }
  | { status: "cancelled" };

/** What this process remembers of a task. Without it, a task is found again by its id and the stores. */
export interface Known {
  readonly task: Task;
  /** On whose behalf and, where it has one, over which connection it was begun. */
  readonly options: CallOptions;
  readonly abort: AbortController;
  /** Told of changes. */
  readonly tell: ((task: Task) => void) | undefined;
  readonly changed: Set<() => void>;
  /** The call, while this process is at it. */
  running: Promise<void> | undefined;
  end: Extract<TaskState, { status: "over" | "broken" | "cancelled" }> | undefined;
  /** What the call waits for as a whole, which may be something within it. */
  waitsWith: { id: string; note: string | undefined } | undefined;
  updatedAt: number;
}

export function newKnown(task: Task, options: Known["options"], tell: Known["tell"]): Known {
  return {
    task,
    options,
    tell,
    abort: new AbortController(),
    changed: new Set(),
    running: undefined,
    end: undefined,
    waitsWith: undefined,
    updatedAt: Date.now(),
  };
}

/**
 * Whether there is room for one more of an owner. Those whose time is over are forgotten, and of those that have ended the oldest:
 * the stores have what came of them.
 */
export function makeRoom(all: Map<string, Known>, owner: string, most: number): boolean {
  const now = Date.now();
  let count = 0;
  let ended: string | undefined;
  for (const [executionId, { task, end }] of all) {
    if (task.createdAt + task.ttlMs <= now) all.delete(executionId);
    else if (task.owner === owner) {
      count += 1;
      if (end !== undefined) ended ??= executionId;
    }
  }
  if (count < most) return true;
  if (ended !== undefined) all.delete(ended);
  return ended !== undefined;
}
