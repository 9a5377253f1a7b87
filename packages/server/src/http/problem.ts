import { type ErrorCode, type Redactor, ToolrigError } from "@toolrig/core";
import { isFailureCode } from "@toolrig/core/kit";
import type { Problem } from "../wire.ts";
import { type Reply, reply } from "./reply.ts";

/** Codes of requests that were refused before they reached the rig. Stable, as all codes are. */
export type ServerCode =
  | "REQUEST_INVALID"
  | "REQUEST_MALFORMED"
  | "REQUEST_TIMEOUT"
  | "TOKEN_MISSING"
  | "TOKEN_INVALID"
  | "SCOPE_MISSING"
  | "HOST_NOT_SERVED"
  | "ORIGIN_NOT_ALLOWED"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "CONFLICT"
  | "BODY_TOO_LARGE"
  | "MEDIA_TYPE_UNSUPPORTED"
  | "RANGE_INVALID"
  | "IDEMPOTENCY_KEY_REUSED"
  | "RATE_LIMITED"
  | "OVERLOADED"
  | "NOT_CONFIGURED"
  | "INTERNAL";

const SERVER: Record<ServerCode, readonly [status: number, title: string]> = {
  REQUEST_INVALID: [422, "The request does not fit what is asked for"],
  REQUEST_MALFORMED: [400, "The request cannot be read"],
  REQUEST_TIMEOUT: [408, "The request took too long to arrive"],
  TOKEN_MISSING: [401, "A token is needed"],
  TOKEN_INVALID: [401, "The token is not known, or no longer valid"],
  SCOPE_MISSING: [403, "The token does not allow this"],
  HOST_NOT_SERVED: [421, "This host name is not served here"],
  ORIGIN_NOT_ALLOWED: [403, "Pages of this origin may not come here"],
  NOT_FOUND: [404, "There is no such thing"],
  METHOD_NOT_ALLOWED: [405, "This method is not served here"],
  CONFLICT: [409, "It is not in a state in which this can be done"],
  BODY_TOO_LARGE: [413, "The body is too large"],
  MEDIA_TYPE_UNSUPPORTED: [415, "The body must be JSON"],
  RANGE_INVALID: [416, "There are no such bytes"],
  IDEMPOTENCY_KEY_REUSED: [422, "The Idempotency-Key was used for another request"],
  RATE_LIMITED: [429, "Too many requests"],
  OVERLOADED: [503, "The server has as much to do as it can take"],
  NOT_CONFIGURED: [501, "This server does not have it"],
  INTERNAL: [500, "Something went wrong here"],
};

/** What was thrown at the programmer, where it was a request that caused it. */
const THROWN: Record<ErrorCode, number> = {
  TOOL_INVALID_DEFINITION: 422,
  TOOL_NAME_TAKEN: 409,
  SCHEMA_UNSUPPORTED: 422,
  SCHEMA_INVALID: 422,
  OPTION_INVALID: 422,
  CONFIG_INVALID: 500,
  STORE_FAILED: 503,
  APPROVAL_REFUSED: 409,
  COMPLETION_REFUSED: 409,
  ENGINE_FAILED: 502,
  ORCHESTRATION_FAILED: 500,
  ORCHESTRATION_BUDGET_EXCEEDED: 429,
  ORCHESTRATION_ITERATION_LIMIT: 422,
  ORCHESTRATION_STEP_MISMATCH: 409,
  CONSTRAINT_SCHEMA_INVALID: 422,
  CONSTRAINT_JSON_INVALID: 422,
  CANCELLED_SIGNAL: 499,
  CANCELLED_TIMEOUT: 504,
};

interface Extras {
  issues?: NonNullable<Problem["issues"]>;
  retryAfterMs?: number;
  /** Also close the connection: what still comes on it is not read. */
  close?: boolean;
  /** What else the answer says beside its body. */
  headers?: Readonly<Record<string, string>>;
}

/** A request that is answered with a problem. */
export class RequestProblem extends Error {
  readonly body: Problem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ServerCode, detail: string, { close = false, headers = {}, ...extras }: Extras = {}) {
    super(detail);
    const [status, title] = SERVER[code];
    this.body = { type: linkTo(code), title, status, detail, code, ...extras };
    this.headers = close ? { ...headers, connection: "close" } : headers;
  }
}

/** When whoever asked may try again what a store did not answer. */
const STORE_RETRY_MS = 1_000;

/** What a thrown thing is answered with. What is nobody's business is not told, and no secrets are. */
export function problemOf(thrown: unknown, redactor: Redactor): RequestProblem {
  if (thrown instanceof RequestProblem) return thrown;
  const problem = new RequestProblem("INTERNAL", "The server could not do it; its log says why.");
  if (!ToolrigError.isInstance(thrown)) return problem;
  const { code, message } = thrown;
  const status = THROWN[code] ?? 500;
  if (status === 500) return problem;
  Object.assign(problem.body, {
    type: linkTo(code),
    title: titleOf(code),
    status,
    detail: redactor.text(message),
    code,
    ...(status === 503 && { retryAfterMs: STORE_RETRY_MS }),
  });
  return problem;
}

export function problemReply({ body, headers: own }: RequestProblem): Reply {
  const headers: Record<string, string> = { "content-type": "application/problem+json", ...own };
  if (body.retryAfterMs !== undefined)
    headers["retry-after"] = String(Math.max(1, Math.ceil(body.retryAfterMs / 1_000)));
  if (body.status === 401) headers["www-authenticate"] = 'Bearer realm="toolrig"';
  return reply(JSON.stringify(body), { status: body.status, headers });
}

/** Where this server says what a code means. */
function linkTo(code: string): string {
  return `/api/v1/problems/${code}`;
}

/** What a code of a problem means; undefined for what is none. */
export function meaningOf(code: string): { code: string; status?: number; title: string } | undefined {
  if (Object.hasOwn(SERVER, code)) {
    const [status, title] = SERVER[code as ServerCode];
    return { code, status, title };
  }
  if (Object.hasOwn(THROWN, code)) return { code, status: THROWN[code as ErrorCode], title: titleOf(code) };
  return isFailureCode(code) ? { code, title: titleOf(code) } : undefined;
}

/** "TOOL_NOT_FOUND" as people say it. */
function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
