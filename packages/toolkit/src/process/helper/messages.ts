import type { Keep, OutputPart } from "../kept-output.ts";

/** What a helper is asked to start. All of it is decided by the parent; the helper decides nothing. */
export interface SpawnRequest {
  id: string;
  /** An absolute path. */
  file: string;
  args: readonly string[];
  /** Where it starts, and within which directories that has to be once links are followed. */
  cwd: string;
  roots: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Open for later input, or nothing to read, or this text and then the end. */
  stdin: "open" | "none" | { text: string };
  keep: Keep;
  /** How long it may run, if there is a limit. */
  timeoutMs: number | undefined;
  /** How long it has between SIGTERM and SIGKILL. */
  graceMs: number;
  mark: Mark;
  /** How many processes it may become; undefined where the system enforces that. */
  maxProcesses: number | undefined;
}

/** How what a command starts is told from other processes. */
export interface Mark {
  /** The value of `TOOLRIG_PROCESS` in its environment. */
  id: string;
  /** Soft and hard limit of message queues: nobody uses them, everybody inherits them, and they cannot be raised. */
  tag: string | undefined;
  /** The first two processes are bubblewrap's, and all others die with the second. */
  namespaced: boolean;
}

export type StopReason = "deadline" | "stopped" | "cancelled" | "processes";

/** How a process ended. */
export interface End {
  exitCode: number | undefined;
  signal: string | undefined;
  /** Why it was made to end, if it was. */
  stopped: StopReason | undefined;
  durationMs: number;
  /** How many processes that it had started were ended after it. */
  swept: number;
  /** How many could not be ended. */
  survivors: number;
}

export type ToHelper =
  | { type: "spawn"; request: SpawnRequest }
  | { type: "stop"; id: string; reason: StopReason; graceMs: number }
  | { type: "forget"; id: string }
  | { type: "read"; ask: number; id: string; from: readonly [number, number] }
  | { type: "input"; ask: number; id: string; text: string; end: boolean };

export type FromHelper =
  | { type: "started"; id: string; pid: number; cwd: string }
  | { type: "refused"; id: string; code: string; message: string }
  | { type: "output"; id: string; text: string }
  | { type: "ended"; id: string; end: End }
  | { type: "answer"; ask: number; output?: readonly [OutputPart, OutputPart]; problem?: string };
