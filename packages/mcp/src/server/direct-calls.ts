import { isDeepStrictEqual } from "node:util";
import type { JSONRPCMessage, JSONRPCRequest, RequestId, ServerContext } from "@modelcontextprotocol/server";
import { type CallParams, isCallParams, type QuickServer } from "./quick-server.ts";

type Envelope = ServerContext["mcpReq"]["envelope"];

/** A call as the SDK has let one through: by which server, with what beside name and arguments. */
interface Accepted {
  readonly server: QuickServer;
  readonly meta: unknown;
  readonly envelope: Envelope;
}

/**
 * Calls over a connection that the SDK need not see: those that differ from one which it has let through in nothing but id, name
 * and arguments. So the era, its envelope and what the client can do were checked by the SDK, and whatever else a message
 * brings (a progress token, answers, a task, a field that nobody knows) is the SDK's to judge. Cancelled as the SDK cancels.
 */
export class DirectCalls {
  readonly #send: (message: JSONRPCMessage) => void;
  readonly #running = new Map<RequestId, AbortController>();
  /** The last call that was left to the SDK. */
  #left: { id: RequestId; meta: unknown } | undefined;
  #accepted: Accepted | undefined;
  /** Messages that the SDK may not have come to yet: none overtakes them. */
  #before = 0;
  #closed = false;

  constructor(send: (message: JSONRPCMessage) => void) {
    this.#send = send;
  }

  learnFrom(server: QuickServer): void {
    server.onQuick = ({ mcpReq: { id, envelope } }) => {
      if (this.#left?.id === id) this.#accepted = { server, meta: this.#left.meta, envelope };
    };
  }

  /** Whether it has seen to a message. */
  take(message: JSONRPCMessage): boolean {
    if (this.#cancel(message) || (this.#before === 0 && this.#answer(message))) return true;
    this.#before += 1;
    setImmediate(() => {
      this.#before -= 1;
    });
    const { id, method, params } = message as JSONRPCRequest;
    if (method === "tools/call" && id !== undefined) this.#left = { id, meta: params?._meta };
    return false;
  }

  /** What still runs is cancelled, and not answered. */
  close(): void {
    this.#closed = true;
    for (const running of this.#running.values()) running.abort(new Error("Connection closed"));
  }

  #answer(message: JSONRPCMessage): boolean {
    const accepted = this.#accepted;
    if (accepted === undefined || this.#closed || !isPlainCall(message)) return false;
    const { id, params } = message;
    if (this.#running.has(id) || !isDeepStrictEqual(params._meta, accepted.meta)) return false;
    const controller = new AbortController();
    const { signal } = controller;
    const { server, envelope } = accepted;
    const notify: ServerContext["mcpReq"]["notify"] = (notification) => server.notification(notification);
    const answer = server.answer(id, params, {
      mcpReq: { envelope, signal, notify, requestState: noState } as ServerContext["mcpReq"],
    });
    if (answer === undefined) return false;
    this.#running.set(id, controller);
    void answer.then((told) => {
      this.#running.delete(id);
      if (!signal.aborted) this.#send(told);
    });
    return true;
  }

  #cancel(message: JSONRPCMessage): boolean {
    const { id, method, params } = message as Partial<JSONRPCRequest>;
    if (method !== "notifications/cancelled" || id !== undefined) return false;
    const running = this.#running.get(params?.requestId as RequestId);
    running?.abort(params?.reason);
    return running !== undefined;
  }
}

const noState = () => undefined;
const MESSAGE_KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS_KEYS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);

interface PlainCall {
  readonly id: RequestId;
  readonly params: CallParams & { readonly _meta?: unknown };
}

function isPlainCall(message: JSONRPCMessage): message is JSONRPCMessage & PlainCall {
  const { id, method, params } = message as Partial<JSONRPCRequest>;
  if (method !== "tools/call" || id === undefined || !isCallParams(params)) return false;
  return hasOnly(message, MESSAGE_KEYS) && hasOnly(params, PARAMS_KEYS);
}

function hasOnly(record: object, keys: ReadonlySet<string>): boolean {
  for (const key of Object.keys(record)) if (!keys.has(key)) return false;
  return true;
}
