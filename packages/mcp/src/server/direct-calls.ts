import {
  type JSONRPCErrorResponse,
  type JSONRPCResultResponse,
  ProtocolErrorCode,
  type RequestId,
  type Result,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server";
import { defined, isRecord, traceIn } from "@toolrig/core/kit";
import type { RequestContext } from "./calling-requests.ts";
import type { Connection } from "./connection.ts";

/** A call that the SDK has let through: over which connection, and with which `_meta`. */
export interface Accepted {
  readonly connection: Connection;
  readonly meta: unknown;
  readonly envelope: RequestContext["mcpReq"]["envelope"];
}

/** Puts together again the `_meta` that the SDK has taken apart. */
export function acceptedBy(
  connection: Connection,
  { mcpReq: { envelope, _meta } }: RequestContext,
): Accepted {
  const meta = withoutTrace(envelope === undefined ? _meta : { ...envelope, ..._meta });
  return { connection, envelope, meta };
}

/** A call that brings nothing but its name, its arguments and what stands in `_meta`. */
export interface PlainCall {
  readonly id: RequestId;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Of which trace a call is part differs from call to call, and is for this side to judge. */
function withoutTrace(meta: unknown): unknown {
  if (typeof meta !== "object" || meta === null || !Object.hasOwn(meta, "traceparent")) return meta;
  const { traceparent: _, tracestate: __, ...rest } = meta as Record<string, unknown>;
  return rest;
}

const MESSAGE_KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS_KEYS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);

export function isPlainCall(message: unknown): message is PlainCall {
  const { jsonrpc, id, method, params } = (message ?? {}) as Record<string, unknown>;
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isRecord(params)) return false;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return false;
  return hasOnly(message as object, MESSAGE_KEYS) && hasOnly(params, PARAMS_KEYS);
}

function hasOnly(record: object, keys: ReadonlySet<string>): boolean {
  for (const key of Object.keys(record)) if (!keys.has(key)) return false;
  return true;
}

/** How deep `_meta` may be: what is deeper is the SDK's to judge. */
const MAX_DEPTH = 16;

/** Whether two values that JSON can hold are equal, as far as that is looked into. */
function isSame(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other) || depth > MAX_DEPTH) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    const isThere = Object.hasOwn(other, key);
    if (!isThere || !isSame((one as Members)[key], (other as Members)[key], depth + 1)) return false;
  }
  return true;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Answers a call that differs from an accepted one in nothing but id, name, arguments and trace, without the SDK: its parsing costs as much
 * as the call. The SDK has checked the same era, envelope and capabilities before, and judges whatever else a message brings (a progress
 * token, answers, a task, an unknown field): then the answer is undefined. Never rejects.
 */
export function answerDirectly(
  { connection, meta, envelope }: Accepted,
  { id, params }: PlainCall,
  controller: AbortController,
  notify: RequestContext["mcpReq"]["notify"],
  http?: RequestContext["http"],
): Promise<JSONRPCResultResponse | JSONRPCErrorResponse> | undefined {
  if (!isSame(withoutTrace(params._meta), meta)) return undefined;
  const trace = traceIn(params._meta);
  const { signal } = controller;
  const _meta = trace === undefined ? undefined : { ...trace };
  const mcpReq = { id, ...defined({ envelope, _meta }), signal, notify, requestState: noState };
  return respond(connection, id, params, { mcpReq, controller, ...defined({ http }) });
}

const noState = (() => undefined) as RequestContext["mcpReq"]["requestState"];

async function respond(
  connection: Connection,
  id: RequestId,
  params: PlainCall["params"],
  ctx: RequestContext,
): Promise<JSONRPCResultResponse | JSONRPCErrorResponse> {
  try {
    const result = await connection.calling({ method: "tools/call", params }, ctx);
    return { jsonrpc: "2.0", id, result: encoded(connection, result) };
  } catch (thrown) {
    const { code, message = "Internal error", data } = thrown as Partial<JSONRPCErrorResponse["error"]>;
    const known = Number.isSafeInteger(code) ? (code as number) : ProtocolErrorCode.InternalError;
    return { jsonrpc: "2.0", id, error: { code: known, message, ...defined({ data }) } };
  }
}

/** As the era has it: since 2026-07-28 a result says of which type it is, and which server made it. */
function encoded({ era, serverInfo }: Connection, result: Result): Result {
  if (era === "legacy") return result;
  return {
    resultType: "complete",
    ...result,
    _meta: { [SERVER_INFO_META_KEY]: serverInfo, ...result._meta },
  };
}
