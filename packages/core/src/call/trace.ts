import type { Option } from "../options/declare-options.ts";
import { part, that } from "../options/kinds.ts";
import type { EventStream } from "./events.ts";

/** What goes with a call to another process, so that it is seen as part of the same trace: the fields of W3C Trace Context. */
export interface TraceCarrier {
  traceparent: string;
  tracestate?: string;
}

/**
 * Follows calls and runs for somebody who wants to see them as traces (`telemetry()` of @toolrig/telemetry). Whoever runs calls
 * and runs has it stand around the code in question and knows nothing more of it. None of its methods may throw.
 */
export interface Tracer {
  /** Called once by whoever makes calls, with the stream on which they are told. */
  calls(events: EventStream): CallTracer;
  /** Runs a loop or a plan from its start to its end: calls `code` once, at once, and gives back what that gives. */
  run<Outcome extends TracedOutcome>(
    run: TracedRun,
    code: (trace: RunTrace) => Promise<Outcome>,
  ): Promise<Outcome>;
  /** The same for one response of a model. */
  inference<Answer extends TracedAnswer>(
    asked: TracedInference,
    code: () => Promise<Answer>,
  ): Promise<Answer>;
}

/** Follows the calls of one stream. */
export interface CallTracer {
  /** Runs a tool's code as part of its call: calls `code` once, at once, and gives back what that gives. */
  within<Answer>(call: TracedCall, code: () => Answer): Answer;
  /** What another process needs to go on with the trace of an execution that is under way. */
  carrier(executionId: string): TraceCarrier | undefined;
}

/** The trace of a run that is under way. */
export interface RunTrace {
  /** For whoever goes on with the run when it is suspended. */
  carrier(): TraceCarrier | undefined;
  /** The run was suspended before, and goes on here. */
  resumes(before: TraceCarrier): void;
}

interface TracedCall {
  readonly id: string;
  /** `seq` of its `call.start`. */
  readonly startSeq?: number | undefined;
}

export interface TracedRun {
  readonly kind: "loop" | "plan";
  readonly runId: string;
  readonly requestId: string;
  readonly stepName?: string;
  readonly parentId?: string;
  /** Of whoever asked for the run in another process. */
  readonly trace?: TraceCarrier | undefined;
}

export interface TracedInference {
  readonly runId: string;
  readonly turn: number;
  /** The engine's name, such as "openai:gpt-5". */
  readonly engine: string;
}

interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Of how a run ended, what is told of it. */
export interface TracedOutcome {
  readonly status: string;
  readonly error?: { readonly code: string } | undefined;
  readonly usage?: Tokens;
  readonly turns?: number;
  readonly calls?: number;
}

/** Of a response of a model, what is told of it. */
export interface TracedAnswer {
  readonly message?: { readonly finishReason: string; readonly usage?: Tokens };
  readonly fault?: { readonly kind: string };
  readonly usage?: Tokens | undefined;
}

/** An option that holds a tracer. */
export function tracerOption(): Option<Tracer> {
  return part("a tracer, such as telemetry()", ["calls", "run", "inference"]);
}

/** An option that holds the trace of a caller in another process. */
export function traceOption(): Option<TraceCarrier> {
  const allowed = "what traceIn(headers) gives: { traceparent, tracestate? }";
  return that(allowed, (value) => traceIn(value) !== undefined);
}

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const TRACESTATE = /^[ -~]{1,512}$/;

/**
 * The carrier in what a stranger sent: headers of a request or a message, or the `_meta` of an MCP request. Undefined where there
 * is none, or one that is none.
 */
export function traceIn(fields: unknown): TraceCarrier | undefined {
  if (typeof fields !== "object" || fields === null) return undefined;
  const traceparent = fieldOf(fields, "traceparent");
  if (traceparent === undefined || !TRACEPARENT.test(traceparent)) return undefined;
  const tracestate = fieldOf(fields, "tracestate");
  return tracestate !== undefined && TRACESTATE.test(tracestate)
    ? { traceparent, tracestate }
    : { traceparent };
}

/** Of anything that has fields: an object, or headers that are read by name. */
function fieldOf(fields: object, name: string): string | undefined {
  const { get } = fields as { get?: (name: string) => unknown };
  const own = Object.hasOwn(fields, name) ? (fields as Record<string, unknown>)[name] : undefined;
  const value = typeof get === "function" ? get.call(fields, name) : own;
  return typeof value === "string" ? value : undefined;
}
