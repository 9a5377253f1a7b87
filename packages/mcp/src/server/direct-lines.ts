import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/server";
import type { Connection } from "./connection.ts";
import { type Accepted, acceptedBy, answerDirectly, isPlainCall } from "./direct-calls.ts";
import { isClosed } from "./under-way.ts";

/** Calls over a pair of streams that the SDK need not see. They are cancelled as the SDK cancels. */
export class DirectLines {
  readonly #send: (message: JSONRPCMessage) => void;
  readonly #running = new Map<RequestId, AbortController>();
  #accepted: Accepted | undefined;
  /** Messages that the SDK may not have come to yet: none overtakes them. */
  #before = 0;
  #closed = false;

  constructor(send: (message: JSONRPCMessage) => void) {
    this.#send = send;
  }

  learnFrom(connection: Connection): void {
    connection.onCall = (ctx) => {
      if (ctx.controller !== undefined) return;
      // A token may come again once its call is over, and progress is the SDK's to send.
      if (ctx.mcpReq._meta?.progressToken === undefined) this.#accepted = acceptedBy(connection, ctx);
    };
  }

  /** Whether it has seen to a message. */
  take(message: JSONRPCMessage): boolean {
    if (this.#cancel(message) || (this.#before === 0 && this.#answer(message))) return true;
    this.#before += 1;
    setImmediate(() => {
      this.#before -= 1;
    });
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
    const { id } = message;
    if (this.#running.has(id)) return false;
    const controller = new AbortController();
    const { signal } = controller;
    const answer = answerDirectly(accepted, message, controller, (notification) =>
      accepted.connection.server.notification(notification),
    );
    if (answer === undefined) return false;
    this.#running.set(id, controller);
    void answer.then((told) => {
      this.#running.delete(id);
      if (!signal.aborted || isClosed(signal)) this.#send(told);
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
