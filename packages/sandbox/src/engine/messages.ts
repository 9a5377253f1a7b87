/** What the host and a worker say to each other. Whatever comes from the code or goes to it is text here. */
import type { Limits } from "./limits.ts";
import type { LimitName, SandboxLog } from "./run.ts";

/** Raised whenever prelude and worker change what they say to each other: a snapshot holds the prelude that it began with. */
export const PROTOCOL = 1;

export type Request = StartRequest | RestoreRequest | AnswerRequest | PauseRequest;

export interface StartRequest {
  type: "start";
  code: string;
  filename: string;
  /** A JSON object. */
  globals: string;
  tools: readonly string[];
  limits: Limits;
}

/** Answered by an empty turn: nothing of the code runs before it is given answers. */
export interface RestoreRequest {
  type: "restore";
  frozen: Frozen;
  limits: Limits;
}

interface AnswerRequest {
  type: "answer";
  answers: readonly AnswerText[];
}

interface PauseRequest {
  type: "pause";
}

/** An answer to a call, or that its time has come to a timer. */
export interface AnswerText {
  id: number;
  as: "done" | "failed" | "waiting";
  /** JSON. */
  text: string;
}

/** What a worker says: first that it is there, then one reply a request. */
export type FromWorker = { type: "ready" } | Reply;

export type Reply = Turn | Frozen;

/** What the code did until nothing was left for it to do. */
export interface Turn {
  type: "turn";
  calls: readonly CallText[];
  /** Timers it set, and those it cleared. */
  timers: readonly { id: number; ms: number }[];
  cleared: readonly number[];
  logs: readonly SandboxLog[];
  used: Used;
  ended?: Ended;
}

export interface CallText {
  id: number;
  name: string;
  /** JSON. */
  args: string;
}

export interface Used {
  time: number;
  steps: number;
  calls: number;
  /** Bytes of the engine's memory, which only grows. */
  memory: number;
}

export const UNUSED: Used = { time: 0, steps: 0, calls: 0, memory: 0 };

/** After anything but the first two, the worker must not serve another run. */
export type Ended =
  | { as: "returned"; text: string }
  | { as: "threw"; text: string }
  | { as: "limit"; limit: LimitName; message?: string }
  | { as: "broken"; message: string };

/** A run that waits, as data. */
export interface Frozen {
  type: "frozen";
  /** The engine's memory, compressed. */
  memory: Uint8Array;
  state: FrozenState;
}

export interface FrozenState {
  bytes: number;
  stackPointer: number;
  runtimePtr: number;
  contextPtr: number;
  /** Where in the memory the prelude's way in is. */
  entry: number;
  used: Used;
  filename: string;
  tools: readonly string[];
  /** Calls that wait for the world. */
  pending: readonly CallText[];
  /** How the code ended, where it did and left calls behind. */
  ended?: Ended;
}
