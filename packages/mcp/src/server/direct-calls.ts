import type { RequestId } from "@modelcontextprotocol/server";
import { defined, traceIn } from "@toolrig/core/kit";
import type { CallContext } from "./call.ts";
import { type CallParams, isCallParams, type QuickServer } from "./quick-server.ts";

/** A call as the SDK has let one through: by which server, with what beside name and arguments. */
export interface Accepted {
  readonly server: QuickServer;
  readonly meta: unknown;
  readonly envelope: CallContext["mcpReq"]["envelope"];
}

/** What the SDK takes apart is put together again. */
export function acceptedBy(server: QuickServer, { mcpReq: { envelope, _meta } }: CallContext): Accepted {
  return { server, envelope, meta: withoutTrace(envelope === undefined ? _meta : { ...envelope, ..._meta }) };
}

/** A call that brings nothing but its name, its arguments and what stands in `_meta`. */
export interface PlainCall {
  readonly id: RequestId;
  readonly params: CallParams & { readonly _meta?: unknown };
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
  if (jsonrpc !== "2.0" || method !== "tools/call" || !isCallParams(params)) return false;
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
 * Answers a call that differs from an accepted one in nothing but id, name, arguments and trace, as the SDK would. So the era, its envelope
 * and what the client can do were checked by the SDK, and whatever else a message brings (a progress token, answers, a task,
 * a field that nobody knows) is the SDK's to judge: then it is undefined.
 */
export function answerDirectly(
  { server, meta, envelope }: Accepted,
  { id, params }: PlainCall,
  signal: AbortSignal,
  notify: CallContext["mcpReq"]["notify"],
  http?: NonNullable<CallContext["http"]>,
): ReturnType<QuickServer["answer"]> {
  if (!isSame(withoutTrace(params._meta), meta)) return undefined;
  const trace = traceIn(params._meta);
  const mcpReq = {
    ...defined({ envelope }),
    ...(trace !== undefined && { _meta: { ...trace } }),
    signal,
    notify,
    requestState: noState,
  };
  return server.answer(id, params, { mcpReq, ...defined({ http }) });
}

const noState = (() => undefined) as CallContext["mcpReq"]["requestState"];
