import { defined, messageOf } from "@toolrig/core/kit";

/** What went wrong with a model, and so what may be done about it. */
export type FaultKind =
  | "rate_limit"
  | "overloaded"
  | "network"
  /** Nothing came for longer than the idle limit. */
  | "idle"
  /** The response ended well and held nothing. */
  | "empty"
  /** The stream ended without saying why, or what came cannot be read. */
  | "incomplete"
  /** The conversation no longer fits into the model. */
  | "context_length"
  | "authentication"
  | "invalid_request"
  | "failed";

const RETRYABLE: ReadonlySet<FaultKind> = new Set<FaultKind>([
  "rate_limit",
  "overloaded",
  "network",
  "idle",
  "empty",
  "incomplete",
]);

/** Whether the same question may be answered later. */
export function mayPass(kind: FaultKind): boolean {
  return RETRYABLE.has(kind);
}

const FAULT_MARK = Symbol.for("toolrig.model-fault");

/** A failure of the model or the way to it, as opposed to one of a tool. Thrown by engines, never by loops. */
export class ModelFault extends Error {
  readonly [FAULT_MARK] = true;
  readonly kind: FaultKind;
  readonly retryable: boolean;
  readonly status: number | undefined;
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FaultKind,
    message: string,
    options: ErrorOptions & { retryable?: boolean; status?: number; retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.name = "ModelFault";
    this.kind = kind;
    this.retryable = options.retryable ?? mayPass(kind);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }

  static isInstance(value: unknown): value is ModelFault {
    return (
      typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[FAULT_MARK] === true
    );
  }
}

/**
 * What a value that an engine threw, or an error frame in its stream, means. Reads the parts that HTTP clients and
 * the AI SDK put on their errors; never throws.
 */
export function faultOf(thrown: unknown, now = Date.now()): ModelFault {
  try {
    if (ModelFault.isInstance(thrown)) return thrown;
    const found = inspect(thrown, 0);
    const message = found.message === "" ? messageOf(thrown) : found.message;
    const kind = kindOf(found, message);
    const retryAfterMs = retryAfter(found.headers, now) ?? found.retryDelayMs;
    return new ModelFault(kind, message, {
      cause: thrown,
      ...defined({ status: found.status, retryAfterMs }),
      ...(kind === "failed" && { retryable: found.retryable }),
    });
  } catch {
    return new ModelFault("failed", "The model failed with an error that cannot be read.");
  }
}

interface Found {
  status: number | undefined;
  /** Error codes and types, from the outside in. */
  codes: string[];
  message: string;
  headers: unknown;
  /** What Google writes into the body instead of a header. */
  retryDelayMs: number | undefined;
  retryable: boolean;
}

/** Looks through causes, and through the bodies of error frames: `{ error: { type, code, message } }`. */
function inspect(value: unknown, depth: number): Found {
  if (typeof value !== "object" || value === null) {
    const message = typeof value === "string" ? value : "";
    const nothing = { status: undefined, headers: undefined, retryDelayMs: undefined };
    return { ...nothing, codes: [], message, retryable: false };
  }
  const error = value as Record<string, unknown>;
  const inner = depth < 4 ? (error.error ?? error.data ?? error.cause ?? error.lastError) : undefined;
  const below = inner === undefined || inner === value ? undefined : inspect(inner, depth + 1);
  const status = [error.statusCode, error.status, error.code].find(isStatus) ?? below?.status;
  const codes = [error.code, error.type, error.name].filter(
    (each): each is string => typeof each === "string",
  );
  return {
    status,
    codes: [...codes, ...(below?.codes ?? [])],
    message:
      typeof error.message === "string" && error.message !== "" ? error.message : (below?.message ?? ""),
    headers: error.responseHeaders ?? error.headers ?? below?.headers,
    retryDelayMs: retryDelay(error.details) ?? retryDelay(error.responseBody) ?? below?.retryDelayMs,
    retryable: error.isRetryable === true || below?.retryable === true,
  };
}

function isStatus(value: unknown): value is number {
  return typeof value === "number" && value >= 400 && value < 600;
}

const NETWORK =
  /^(E(AI_AGAIN|CONNABORTED|CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|PIPE|TIMEDOUT)|UND_ERR_.*|TimeoutError)$/;

function kindOf({ status, codes }: Found, message: string): FaultKind {
  const has = (pattern: RegExp) => codes.some((code) => pattern.test(code));
  if (has(/context_length|context_window|string_above_max_length/i) || TOO_LONG.test(message)) {
    return "context_length";
  }
  if (has(/insufficient_quota|billing/i)) return "authentication";
  if (status === 429 || has(/rate_?limit|too_many_requests|resource_exhausted/i)) return "rate_limit";
  if (status === 529 || has(/overloaded|unavailable|server_error|api_error|internal/i)) return "overloaded";
  if (status !== undefined && (status >= 500 || status === 408 || status === 409 || status === 425)) {
    return "overloaded";
  }
  if (status === 401 || status === 402 || status === 403 || has(/authentication|permission|api_?key/i)) {
    return "authentication";
  }
  if (status !== undefined || has(/invalid_request|invalid_prompt|not_found_error/i))
    return "invalid_request";
  if (has(/InvalidResponseData|EmptyResponseBody|JSONParse|TypeValidation/)) return "incomplete";
  if (has(NETWORK) || /fetch failed|socket hang up|network error|terminated/i.test(message)) return "network";
  return "failed";
}

const TOO_LONG = /maximum context length|context window|prompt is too long|too many (input )?tokens/i;

/** `retry-after` in seconds or as a date, or `retry-after-ms`. */
function retryAfter(headers: unknown, now: number): number | undefined {
  const ms = Number(header(headers, "retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const value = header(headers, "retry-after");
  if (value === undefined || value.trim() === "") return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1_000 : undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function header(headers: unknown, name: string): string | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return typeof entry?.[1] === "string" ? entry[1] : undefined;
}

/** The delay of a `google.rpc.RetryInfo`, in the details of an error or in the text of a body: "34.07s". */
function retryDelay(from: unknown): number | undefined {
  if (typeof from !== "string" && !Array.isArray(from)) return undefined;
  const text =
    typeof from === "string" ? from.slice(0, MAX_BODY) : JSON.stringify(from.slice(0, MAX_DETAILS));
  const seconds = /"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d{1,9})?)s"/.exec(text)?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1_000);
}

const MAX_BODY = 20_000;
const MAX_DETAILS = 20;
