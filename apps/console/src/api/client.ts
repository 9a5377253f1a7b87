import type { Problem } from "@toolrig/server/wire";
import { connection, firstAnswer, noteHeard, noteLocked, noteLost } from "./connection.ts";
import { currentToken } from "./token.ts";

const BASE = "/api/v1";
/** The question that is asked first. */
const FIRST = "/server";

/** What a field of a query may be; undefined and "" are left out. */
export type Query = Record<string, string | number | boolean | undefined>;

/** The server refused, and said why. `problem.status` is 0 where the server was not reached. */
export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = "ApiError";
    this.problem = problem;
  }
}

/** Reads `/api/v1` + path. Throws ApiError. */
export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return send(path + queryString(query), { ...(signal && { signal }) }) as Promise<T>;
}

/** Sends JSON. Throws ApiError, also with what the server did not like in each field. */
export function post<T>(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<T> {
  return sendJson("POST", path, body, headers) as Promise<T>;
}

export function put<T>(path: string, body: unknown): Promise<T> {
  return sendJson("PUT", path, body) as Promise<T>;
}

export function remove<T>(path: string): Promise<T> {
  return send(path, { method: "DELETE" }) as Promise<T>;
}

/** An address below the API as the server has it, for links and for the feed. */
export function apiUrl(path: string, query: Query = {}): string {
  return BASE + path + queryString(query);
}

export function authorization(): Record<string, string> {
  const token = currentToken();
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function sendJson(method: string, path: string, body: unknown, headers: Record<string, string> = {}) {
  return send(path, {
    method,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
}

/** Tells a person, not a program, that the server wants a token. */
export function lock(): string {
  const why =
    currentToken() === undefined
      ? "This server wants a token. Whoever runs it makes one with: toolrig token new"
      : "The server does not take this token: it is mistyped, has expired or was taken back.";
  noteLocked(why);
  return why;
}

async function send(path: string, init: RequestInit): Promise<unknown> {
  if (path !== FIRST) await firstAnswer;
  if (connection.value.state === "locked") throw new ApiError(locked(connection.value.why));
  const response = await fetch(BASE + path, {
    ...init,
    headers: { accept: "application/json", ...authorization(), ...init.headers },
    credentials: "omit",
  }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    noteLost("The server does not answer.");
    throw new ApiError(unreachable());
  });
  const body: unknown = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (response.status === 401) throw new ApiError(locked(lock()));
  // From here on it is the feed that tells whether the server is there.
  if (connection.value.state === "connecting") noteHeard();
  if (response.ok) return body;
  throw new ApiError(isProblem(body) ? body : unexplained(response.status));
}

function queryString(query: Query): string {
  const fields = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  if (fields.length === 0) return "";
  return `?${new URLSearchParams(fields.map(([key, value]) => [key, String(value)]))}`;
}

function isProblem(body: unknown): body is Problem {
  return typeof body === "object" && body !== null && "detail" in body && "code" in body;
}

function locked(why: string): Problem {
  return problem(401, "UNAUTHENTICATED", why);
}

function unreachable(): Problem {
  return problem(0, "SERVER_LOST", "The server does not answer.");
}

function unexplained(status: number): Problem {
  return problem(status, `HTTP_${status}`, `The server answered ${status} and did not say why.`);
}

function problem(status: number, code: string, detail: string): Problem {
  return { type: "about:blank", title: code, status, code, detail };
}
