import {
  CODE_OF,
  type ErrorCode,
  type FailureCode,
  type FailureKind,
  isFailureCode,
  KIND_OF,
} from "./codes.ts";

/** Why a call did not succeed, as plain data: safe to serialise, store and show. */
export interface Failure {
  kind: FailureKind;
  code: FailureCode;
  message: string;
  /** Whether the same call may succeed later without being changed. */
  retryable: boolean;
  details?: unknown;
}

/** One argument that did not validate. `path` is a JSON Pointer into the arguments, "" for the whole. */
export interface ArgumentIssue {
  path: string;
  expected: string;
  received: string;
  message: string;
}

export interface FailureInput {
  kind?: FailureKind;
  code?: FailureCode;
  message: string;
  retryable?: boolean;
  details?: unknown;
}

const RETRYABLE: ReadonlySet<FailureKind> = new Set<FailureKind>(["transient", "timeout", "unavailable"]);

/** Of a failure whose reason is missing, such as that of an error that was not there. */
const NO_REASON: FailureInput = { message: "no reason was given" };

/**
 * Completes a failure: the kind follows from the code or the other way round, retryable from the kind. Tools and
 * guards may hand in anything, so a kind or code that does not exist counts as not given.
 */
export function describeFailure(input: FailureInput): Failure {
  const code = isFailureCode(input.code) ? input.code : undefined;
  const given = input.kind !== undefined && Object.hasOwn(CODE_OF, input.kind) ? input.kind : undefined;
  const kind = given ?? (code === undefined ? "fatal" : KIND_OF[code]);
  const failure: Failure = {
    kind,
    code: code ?? CODE_OF[kind],
    message: typeof input.message === "string" ? input.message : NO_REASON.message,
    retryable: typeof input.retryable === "boolean" ? input.retryable : RETRYABLE.has(kind),
  };
  if (input.details !== undefined) failure.details = input.details;
  return failure;
}

const FAILURE_MARK = Symbol.for("toolrig.failure");
const ERROR_MARK = Symbol.for("toolrig.error");

/**
 * A failure that a tool, hook or guard returns or throws; both mean the same. Recognised by a global symbol, so that
 * it survives two copies of this package in one process.
 */
export class ToolFailure extends Error {
  readonly [FAILURE_MARK] = true;
  readonly failure: Failure;

  constructor(input: FailureInput, options?: ErrorOptions) {
    super(input.message, options);
    this.name = "ToolFailure";
    this.failure = describeFailure(input);
  }

  static isInstance(value: unknown): value is ToolFailure {
    return isMarked(value, FAILURE_MARK);
  }
}

/** Misuse by the programmer or broken configuration. The only error this package throws on purpose. */
export class ToolrigError extends Error {
  readonly [ERROR_MARK] = true;
  readonly code: ErrorCode;
  readonly details?: unknown;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { details?: unknown }) {
    super(message, options);
    this.name = "ToolrigError";
    this.code = code;
    if (options?.details !== undefined) this.details = options.details;
  }

  static isInstance(value: unknown): value is ToolrigError {
    return isMarked(value, ERROR_MARK);
  }
}

function isMarked(value: unknown, mark: symbol): boolean {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[mark] === true;
}

/**
 * A failure from whatever is at hand: a message, an Error, or the parts of a failure.
 *
 * @example
 * ```ts
 * import { Executor, failure, tool } from "@toolrig/core";
 *
 * const readSecret = tool({
 *   name: "read_secret",
 *   description: "Read a secret",
 *   input: { type: "object" },
 *   execute: () => failure({ kind: "denied", message: "secrets stay where they are" }),
 * });
 * const executor = new Executor({ tools: [readSecret] });
 * const answer = await executor.call({ id: "call_1", name: "read_secret" });
 * console.log(answer.failure?.code, answer.failure?.retryable); //=> TOOL_BLOCKED false
 * ```
 */
export function failure(input: string | Error | FailureInput): ToolFailure {
  if (ToolFailure.isInstance(input)) return input;
  if (typeof input === "string") return new ToolFailure({ message: input });
  if (input instanceof Error) return new ToolFailure({ message: input.message }, { cause: input });
  return new ToolFailure(input ?? NO_REASON);
}

/**
 * The model's fault: it should correct the arguments and call again.
 *
 * @example
 * ```ts
 * import { Executor, tool, validation } from "@toolrig/core";
 *
 * const book = tool({
 *   name: "book_room",
 *   description: "Book a room",
 *   input: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
 *   execute: ({ day }) => (day === "sunday" ? validation("closed on sunday") : "booked"),
 * });
 * const call = { id: "call_1", name: "book_room", arguments: { day: "sunday" } };
 * const { failure } = await new Executor({ tools: [book] }).call(call);
 * console.log(failure?.kind, failure?.retryable); //=> validation false
 * ```
 */
export function validation(message: string, details?: unknown): ToolFailure {
  return new ToolFailure({ kind: "validation", message, details });
}

/**
 * The world's fault: the same call may succeed later. Retried automatically when the tool is idempotent.
 *
 * @example
 * ```ts
 * import { Executor, tool, transient } from "@toolrig/core";
 *
 * let busy = 1;
 * const fetchRate = tool({
 *   name: "fetch_rate",
 *   description: "Fetch the exchange rate",
 *   input: { type: "object" },
 *   safety: { sideEffects: "read", idempotent: true },
 *   execute: () => (busy-- > 0 ? transient("the service is busy") : 1.08),
 * });
 * const { value } = await new Executor({ tools: [fetchRate] }).call({ id: "1", name: "fetch_rate" });
 * console.log(value); //=> 1.08
 * ```
 */
export function transient(cause: string | Error, details?: unknown): ToolFailure {
  return caused("transient", cause, details);
}

/** The tool cannot run at the moment, for the reason given. */
export function unavailable(cause: string | Error, details?: unknown): ToolFailure {
  return caused("unavailable", cause, details);
}

/** A rule forbids the call, for the reason given. */
export function denied(reason: string, details?: unknown): ToolFailure {
  return new ToolFailure({ kind: "denied", message: reason, details });
}

function caused(kind: FailureKind, cause: string | Error, details: unknown): ToolFailure {
  const message = typeof cause === "string" ? cause : (cause ?? NO_REASON).message;
  return new ToolFailure({ kind, message, details }, typeof cause === "string" ? undefined : { cause });
}
