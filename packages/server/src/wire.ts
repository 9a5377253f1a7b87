/**
 * What goes over HTTP, as types: the server writes it, the console and other clients read it. Paths are below `/api/v1`.
 * Times are epoch milliseconds, durations milliseconds. A field that is absent is not known or does not apply.
 */
import type {
  ContentPart,
  Effect,
  Failure,
  FailureKind,
  JsonSchema,
  Principal,
  ProgressUpdate,
  SideEffects,
  ToolDefinition,
  ToolResult,
  WaitKind,
} from "@toolrig/core";

import type { StoredRecord } from "@toolrig/store";

/** Errors, as RFC 9457 has them, with the code of the failure table. Media type `application/problem+json`. */
export interface Problem {
  /** A link to what the code means. */
  type: string;
  title: string;
  status: number;
  /** What was expected, what came, what to do. */
  detail: string;
  code: string;
  /** Where validation failed: JSON pointers into what was sent. */
  issues?: { path: string; message: string }[];
  retryAfterMs?: number;
}

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  /** For the next page; absent on the last. */
  cursor?: string;
}

// GET /server

export interface ServerInfo {
  name: "toolrig";
  version: string;
  startedAt: number;
  /** Who asks, by the token; "local" on loopback without tokens. */
  principal: Principal;
  scopes: Scope[];
  /** How many wait for a person or a result, for whoever may read; the feed tells when that changes. */
  inbox?: number;
  /** What this server can do: pages for what is absent say how to have it. */
  features: {
    store: boolean;
    engine: boolean;
    approvals: boolean;
    policy: boolean;
    mcp: boolean;
    fleet: boolean;
    demo: boolean;
  };
}

/** `tools:NAME` and `provider:NAME` narrow what may be called; `call` is all tools. */
export type Scope = "read" | "call" | `tools:${string}` | `provider:${string}` | "approve" | "admin";

// The feed: GET /events (server-sent events)

/** Whose fault a failure is. */
export type Blame = "model" | "tool" | "world" | "policy" | "caller";

/** "unknown" is an outcome that nobody can know. */
export type CallState = "running" | "waiting" | "ok" | "failed" | "unknown";

/** A call on one line. Of one execution the latest counts: `revision` grows. */
export interface CallLine {
  executionId: string;
  revision: number;
  callId: string;
  name: string;
  runId?: string;
  parentId?: string;
  principal?: string;
  source: string;
  /** The arguments in at most 120 characters, redacted. */
  gist: string;
  state: CallState;
  startedAt: number;
  endedAt?: number;
  durationMs?: number;
  /** What it does now: the last progress, or what it waits for. */
  note?: string;
  /** How far it says it is, from 0 to 1. */
  progress?: number;
  waiting?: { kind: WaitKind; since: number; expiresAt?: number };
  attempt?: number;
  repaired?: boolean;
  cached?: boolean;
  failure?: { kind: FailureKind; code: string; message: string; blame: Blame };
  /** Whether guards asked, denied or rewrote. */
  verdict?: "asked" | "denied" | "rewrote";
}

/** A run on one line. */
export interface RunLine {
  runId: string;
  revision: number;
  kind: "loop" | "structured" | "plan" | "script";
  /** What was asked, in at most 200 characters. */
  task: string;
  state: "running" | "waiting" | "answered" | "failed" | "aborted" | "open" | "ended";
  startedAt: number;
  updatedAt: number;
  endedAt?: number;
  turns: number;
  /** Only of a run that is asked for by itself. */
  calls?: number;
  failures?: number;
  principal?: string;
  forkedFrom?: { runId: string; turn: number };
  /** Whether this process runs it: only then can it be steered and aborted here. */
  here: boolean;
}

/**
 * One message of the feed, `event: feed`, at most ten a second, each with all that changed since the last. The first event is
 * `open` (nothing was missed) or `gap`, with the id to go on from; lines that begin with ":" say that it is alive. The SSE `id` is
 * opaque; a client that comes back with `Last-Event-ID` (or `?after=ID`) gets exactly what it missed, or `event: gap` when
 * that is no longer kept: then it reads the lists anew and goes on from the id of the gap.
 */
export interface FeedMessage {
  calls: CallLine[];
  runs: RunLine[];
  /** How many wait for a person or a result, when that changed. */
  inbox?: number;
  /** How many more calls ended than could be told of: thousands a second are counted, not listed. */
  more?: number;
}

// Tools

/** GET /tools (query: q, provider), GET /tools/{name} */
export interface ToolLine {
  name: string;
  version?: string;
  provider?: string;
  title?: string;
  description: string;
  safety: { sideEffects: SideEffects; idempotent: boolean; requires: readonly string[]; declared: boolean };
  available: boolean;
  /** Why not. */
  reason?: string;
  stats: ToolStats;
}

/** Of what this process has seen, and of the last records of the store. */
export interface ToolStats {
  calls: number;
  failures: number;
  byBlame: Partial<Record<Blame, number>>;
  /** How long calls took, without what they waited for people and the world. */
  p50Ms?: number;
  p95Ms?: number;
  lastUsedAt?: number;
  /** Oldest first, equal steps of time; null where there were no calls. */
  trend: {
    stepMs: number;
    calls: number[];
    failures: number[];
    p50: (number | null)[];
    p95: (number | null)[];
  };
}

export interface ToolDetail extends ToolLine {
  definition: ToolDefinition;
  /** The description that is told, when it was overridden, and the tool's own. */
  description: string;
  ownDescription?: string;
  timeoutMs?: number;
  /** The latest inputs, without secrets, newest first. */
  recentInputs: { args: unknown; at: number; executionId: string; isError: boolean }[];
  /** Who called it: principals and runs, most first. */
  users: { id: string; calls: number; lastAt: number }[];
}

// Calls

/** GET /calls: Page<CallLine>, newest first; under way and waiting ones on the first page. Query, all optional; a field with commas means any of them. */
export interface CallQuery {
  tool?: string;
  state?: string;
  blame?: string;
  run?: string;
  /** In the name, the gist, the note and the failure's message, whatever the case. */
  q?: string;
  /** 1 to 1,000. Default 200. */
  limit?: number;
  cursor?: string;
}

/** POST /calls. With `Prefer: respond-async` or `"async": true` the answer is 202 with a CallStatus. `Idempotency-Key` is honoured. */
export interface CallRequest {
  name: string;
  /** An object, or the text that a model wrote. */
  arguments?: unknown;
  /** Of the model's call. Default: one is made. */
  id?: string;
  version?: string;
  runId?: string;
  requestId?: string;
  async?: boolean;
  /** "hold" waits with the request open; "return" answers at once with what it waits for. Default "return". */
  onWaiting?: "hold" | "return";
}

/** GET /calls/{executionId}, also by a unique beginning or end of the id. */
export interface CallStatus {
  executionId: string;
  line: CallLine;
  /** While it is not over, and once it is. */
  state: CallState;
  result?: ToolResult;
}

/** GET /calls/{executionId}/story: everything known of one call, for the drawer. */
export interface CallStory {
  line: CallLine;
  version?: string;
  source: string;
  principal?: Principal;
  rawArguments: unknown;
  args: unknown;
  repairs: { kind: string; at?: string; message: string }[];
  /** In order, in words. */
  verdicts: { guard: string; verdict: string; reason?: string; sentence: string }[];
  /** The bar. In order; they add up to the duration. */
  stages: {
    name: "prepare" | "wait" | "run" | "retry" | "settle";
    startMs: number;
    durationMs: number;
    note?: string;
  }[];
  attempts: {
    attempt: number;
    failure?: Failure;
    delayMs?: number;
    error?: { message: string; stack?: string };
  }[];
  waits: { kind: WaitKind; how: string; waitedMs: number; by?: string }[];
  updates: { at: number; update: ProgressUpdate }[];
  effects: { effect: Effect; sentence: string; diff?: string }[];
  content: ContentPart[];
  /** Longer than the cap: its size, and the artifact where the whole is. */
  cut?: { bytes: number; artifact?: string };
  failure?: Failure & { blame: Blame; sentence: string };
  labels?: unknown;
  children: CallLine[];
  late: { at: number; isError: boolean; message?: string; value?: unknown }[];
  record?: { seq: number; hash: string; recovered?: boolean };
  /** For a terminal. */
  commands: { label: string; command: string }[];
}

// Runs

/** GET /runs: Page<RunLine>, newest first. Query, all optional; a field with commas means any of them. */
export interface RunQuery {
  state?: string;
  /** In the task and the id, whatever the case. */
  q?: string;
  /** 1 to 1,000. Default 200. */
  limit?: number;
  cursor?: string;
}

/** GET /runs/{runId} */
export interface RunDetail {
  line: RunLine;
  /** One row a turn. */
  turns: {
    turn: number;
    startedAt: number;
    endedAt?: number;
    calls: RunCall[];
  }[];
  transcript: {
    turn: number;
    role: "system" | "user" | "assistant" | "tool";
    text: string;
    calls?: { callId: string; name: string; executionId?: string }[];
    executionId?: string;
    isError?: boolean;
  }[];
  outcome?: unknown;
  waitingFor: InboxItem[];
  /** Runs that were forked from it, runs that its calls started. */
  children: RunLine[];
  commands: { label: string; command: string }[];
}

export interface RunCall {
  line: CallLine;
  /** On the run's time axis. */
  segments: {
    kind: "queue" | "policy" | "approval" | "wait" | "execute" | "retry";
    startAt: number;
    endAt?: number;
  }[];
}

/** POST /runs */
export interface RunRequest {
  input: string;
  system?: string;
  maxIterations?: number;
  /** "suspend" is an earlier word for "return". */
  onWaiting?: "hold" | "return" | "continue" | "suspend";
}

// POST /runs/{runId}/steer | follow-up: { text }; /abort: { reason? }; /resume: {}; /fork: { turn, input? }; /replay: {}

// Inbox: everything that waits for a person or a result

/** GET /inbox, ordered by expiry, then age. */
export interface InboxItem {
  /** Of the wait. */
  id: string;
  kind: WaitKind;
  executionId: string;
  callId: string;
  name: string;
  runId?: string;
  principal?: Principal;
  /** "research-agent asks to send_email to ann@example.com because it read an untrusted page." */
  sentence: string;
  reasons: { guard?: string; text: string }[];
  /** Whole, redacted. */
  args: unknown;
  rawArguments?: unknown;
  inputSchema?: JsonSchema;
  /** Of what a call that waits for its result is completed with, where its tool says. */
  outputSchema?: JsonSchema;
  /** The question's text and the shape of its answer. */
  question?: { text: string; schema?: JsonSchema };
  /** Where the data came from, in order: sources that the run read before. */
  taint?: { name: string; executionId?: string; labels: string[] }[];
  safety?: ToolLine["safety"];
  createdAt: number;
  expiresAt?: number;
  /** Somebody let the call run, and no process runs it: the one that asked has died. */
  approved?: { at: number; by?: string };
  /** What the one who asks may do here. */
  may: { answer: boolean; why?: string };
  /** The console lets the reader undo for this long before it is sent. */
  note?: string;
}

// POST /inbox/{id}/approve: { args?, remember? }; /deny: { reason? }; /answer: { value }; /decline: { reason? };
// /complete: { value } | { failure: { message, retryable? } }; /cancel: {}; /run: {} (of one that is approved)
// POST /calls/{executionId}/result with `Authorization: Bearer TOKEN-OF-THE-CALL` or ?token=: { value } | { failure }: for webhooks.

// Failures, audit, fleet, policy

/** GET /failures (query: since) */
export interface FailureGroup {
  kind: FailureKind;
  blame: Blame;
  /** Same kind, code, tool and shape of message. */
  fingerprint: string;
  code: string;
  tool: string;
  message: string;
  count: number;
  firstAt: number;
  lastAt: number;
  example: string;
  trend: number[];
}

/** GET /records: Page<StoredRecord>; GET /records/export?format=ndjson|csv; GET /records/verify */
export type RecordPage = Page<StoredRecord>;

export interface AuditVerdict {
  intact: boolean;
  records: number;
  first?: { seq: number; at: number };
  last?: { seq: number; at: number; hash: string };
  keyed: boolean;
  problems: { seq?: number; message: string }[];
  checkedAt: number;
  tookMs: number;
}

/** GET /fleet */
export interface FleetState {
  connected: boolean;
  /** This process, where there is no fleet. */
  local: { running: number; waiting: number; slots?: number };
  workers: {
    id: string;
    startedAt: number;
    seenAt: number;
    running: number;
    slots: number;
    ran: number;
    failed: number;
    tools: { name: string; version?: string }[];
    draining?: boolean;
  }[];
  /** `depth` calls wait for a worker, and workers have `running`. */
  queues: { tool: string; depth: number; running?: number; oldestAt?: number }[];
  deadLetters: { id: string; tool: string; at: number; reason: string; executionId?: string }[];
}

/** POST /fleet/dead-letters/{id}/retry */
export interface RetriedLetter {
  /** Of the call that was sent again: the old one has its outcome, which stands. Absent for what is no call. */
  executionId?: string;
}

/** POST /policy/explain */
export interface PolicyQuestion {
  tool: string;
  args?: unknown;
  principal?: string;
  source?: string;
  runLabels?: string[];
}

export interface PolicyAnswer {
  verdict: "allow" | "deny" | "ask" | "refused";
  sentence: string;
  rule?: string;
  /** Every rule that was looked at, in order. */
  rules: { name: string; matched: boolean; why: string }[];
  failure?: Failure;
}

/** POST /demo/start: the scripted agent, where the server has it. */
export interface DemoStarted {
  runId: string;
}
