import type { Readable, Writable } from "node:stream";
import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { isRecord } from "@toolrig/core/kit";
import { parseMessage, REQUEST_LIMITS } from "../wire/parse-message.ts";
import { isNews, subjectOf } from "./news.ts";
import { MAX_OPEN_REQUESTS, MAX_UNREAD, type Outlet } from "./unread.ts";

const NEWLINE = 10;
/** Characters unread beyond which nothing more is read: also what is answered at once, such as malformed lines, makes its sender wait. */
const MAX_UNREAD_ANSWERS = 2 * MAX_UNREAD;

/**
 * Messages over a pair of streams, one a line. A line that is too long, no UTF-8 or no message is answered with an error and
 * passed over: the lines after it are served. Ends when the input does.
 *
 * A client that does not read makes its requests wait: beyond `MAX_OPEN_REQUESTS` under way or `MAX_UNREAD` unread, they are kept until
 * they have the size of one message, and then no more is read. Notifications that something has changed wait, too, each once.
 */
export class LineTransport implements Transport, Outlet {
  /** Resolves when it is closed. */
  readonly ended: Promise<void>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Sees every message first: true when it has seen to it. */
  first?: (message: JSONRPCMessage) => boolean;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #maxMessage: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  /** Of the line that is not over yet. */
  #pieces: Buffer[] = [];
  #size = 0;
  #skipping = false;
  #closed = false;
  #resolve: () => void = () => {};
  /** What is to be written when this turn of the event loop is over: one write for all answers of it. */
  #unsent = "";
  /** Ids of requests that were handed on and are not answered. */
  readonly #open = new Set<RequestId>();
  /** Requests that wait for their turn, with their size in bytes. */
  readonly #waiting = new Map<JSONRPCRequest, number>();
  #waitingSize = 0;
  /** Notifications for a client that is behind, by what they tell of. */
  readonly #late = new Map<string, JSONRPCNotification>();
  /** Of all that wait for the other side to read. */
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(input: Readable, output: Writable, maxMessage: number) {
    this.#input = input;
    this.#output = output;
    this.#maxMessage = maxMessage;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#read);
    this.#input.on("end", this.#end);
    this.#input.on("close", this.#end);
    this.#input.on("error", this.#fail);
    this.#output.on("error", this.#fail);
    this.#output.on("drain", this.#onDrain);
    this.#output.on("close", this.#release);
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#end);
  }

  /** Resolves when the other side keeps up, so that what it does not read is not piled up here. */
  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (this.isBehind()) {
      if (isNews(message)) {
        this.#late.set(subjectOf(message), message);
        return Promise.resolve();
      }
      if (this.#unread() > MAX_UNREAD_ANSWERS) this.#input.pause();
    }
    if (this.#unsent === "") process.nextTick(this.#flush);
    this.#unsent += `${written(message)}\n`;
    if (!("method" in message)) this.#answered(message.id);
    if (!this.#output.writableNeedDrain) return Promise.resolve();
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  /** Whether the other side leaves unread what it was sent. */
  isBehind(): boolean {
    return this.#unread() > MAX_UNREAD;
  }

  #unread(): number {
    return this.#unsent.length + this.#output.writableLength;
  }

  /** What waits to be written is counted here. */
  told(): void {}

  readonly #flush = (): void => {
    const text = this.#unsent;
    this.#unsent = "";
    if (text !== "") this.#output.write(text, this.#written);
  };

  readonly #onDrain = (): void => {
    this.#release();
    this.#goOn();
  };

  readonly #release = (): void => {
    this.#drained?.resolve();
    this.#drained = undefined;
  };

  /** A stream with a large buffer of its own tells of no drain. */
  readonly #written = (): void => {
    if (this.#late.size > 0 || this.#waiting.size > 0 || this.#input.isPaused()) this.#goOn();
  };

  /** Requests wait while too many are under way or too much is unread; answers and notifications never do. */
  #take(message: JSONRPCMessage, size: number): void {
    const isRequest = "method" in message && "id" in message;
    if (!isRequest) {
      if (!("method" in message) || !this.#cancelled(message)) this.#handOn(message);
    } else if (this.#waiting.size === 0 && this.#hasRoom()) this.#begin(message);
    else {
      this.#waiting.set(message, size);
      this.#waitingSize += size;
      if (this.#waitingSize > this.#maxMessage) this.#input.pause();
    }
  }

  #hasRoom(): boolean {
    return this.#open.size < MAX_OPEN_REQUESTS && !this.isBehind();
  }

  #begin(request: JSONRPCRequest): void {
    this.#open.add(request.id);
    this.#handOn(request);
  }

  #handOn(message: JSONRPCMessage): void {
    if (this.first?.(message) !== true) this.onmessage?.(message);
  }

  /** Whether it cancels a request that has not begun, which is forgotten. One that has is not answered. */
  #cancelled({ method, params }: JSONRPCNotification): boolean {
    if (method !== "notifications/cancelled") return false;
    const id = params?.requestId as RequestId;
    for (const request of this.#waiting.keys()) {
      if (request.id !== id) continue;
      this.#drop(request);
      return true;
    }
    this.#answered(id);
    return false;
  }

  #answered(id: RequestId | undefined): void {
    if (id !== undefined && this.#open.delete(id) && this.#waiting.size > 0) setImmediate(this.#goOn);
  }

  #drop(request: JSONRPCRequest): void {
    this.#waitingSize -= this.#waiting.get(request) ?? 0;
    this.#waiting.delete(request);
  }

  readonly #goOn = (): void => {
    if (this.#closed || this.isBehind()) return;
    for (const [subject, notification] of this.#late) {
      if (this.isBehind()) return;
      this.#late.delete(subject);
      void this.send(notification);
    }
    for (const request of this.#waiting.keys()) {
      if (this.#closed || !this.#hasRoom()) return;
      this.#drop(request);
      this.#begin(request);
    }
    if (this.#input.isPaused() && !this.#closed) this.#input.resume();
  };

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    this.#input.off("data", this.#read);
    this.#input.off("end", this.#end);
    this.#input.off("close", this.#end);
    this.#input.pause();
    this.#output.off("drain", this.#onDrain);
    this.#release();
    this.#waiting.clear();
    this.#late.clear();
    this.#pieces = [];
    this.onclose?.();
    this.#resolve();
  }

  readonly #end = (): void => {
    void this.close();
  };

  readonly #fail = (error: Error): void => {
    if (!this.#closed) this.onerror?.(error);
    void this.close();
  };

  readonly #read = (chunk: Buffer | string): void => {
    let rest = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1 && !this.#closed; end = rest.indexOf(NEWLINE)) {
      this.#add(rest.subarray(0, end));
      this.#line();
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) this.#add(rest);
  };

  /** Of a line that is too long nothing is kept. */
  #add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#maxMessage) {
      this.#skipping = true;
      this.#pieces = [];
    } else this.#pieces.push(piece);
  }

  #line(): void {
    const pieces = this.#pieces;
    const skipped = this.#skipping;
    const size = this.#size;
    this.#pieces = [];
    this.#size = 0;
    this.#skipping = false;
    if (skipped) {
      this.#refuse(-32_600, `The message has ${size} bytes; ${this.#maxMessage} are the most.`);
      return;
    }
    const [only] = pieces;
    this.#message(pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces));
  }

  #message(bytes: Buffer): void {
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      this.#refuse(-32_700, "The message is not UTF-8.");
      return;
    }
    if (text.trim() === "") return;
    const parsed = parseMessage(text, REQUEST_LIMITS);
    if ("refused" in parsed) {
      const { code, problem, id, isAnswer } = parsed.refused;
      this.#refuse(code, problem, isAnswer ? null : id);
      return;
    }
    const message = parsed.value as JSONRPCMessage;
    const problem = problemOf(message);
    if (problem !== undefined) this.#refuse(-32_600, problem);
    else this.#take(message, bytes.length);
  }

  /** Without an id the sender may not know which of its messages it was. */
  #refuse(code: number, message: string, id: string | number | null = null): void {
    this.onerror?.(new Error(message));
    const answer = { jsonrpc: "2.0", id, error: { code, message } };
    void this.send(answer as unknown as JSONRPCMessage);
  }
}

/** What is wrong with the frame of a message; what is in it is checked by whoever serves it. */
function problemOf(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || Array.isArray(message))
    return "A message must be one JSON object.";
  const { jsonrpc, id, method, params, result, error } = message as Record<string, unknown>;
  if (jsonrpc !== "2.0") return 'A message must have jsonrpc: "2.0".';
  if (id !== undefined && typeof id !== "string" && !Number.isSafeInteger(id))
    return "The id of a message must be text or a whole number.";
  if (method === undefined) {
    const isAnswer = id !== undefined && (isRecord(result) || isRecord(error));
    return isAnswer ? undefined : "A message must have a method, or be an answer with a result or an error.";
  }
  if (typeof method !== "string") return "The method of a message must be text.";
  if (params !== undefined && !isRecord(params)) return "The params of a message must be an object.";
  return undefined;
}

/** What a tool returned may throw when it is read once more. Whoever asked is answered all the same. */
function written(message: JSONRPCMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    const { id } = message as { id?: string | number };
    const error = { code: ProtocolErrorCode.InternalError, message: "The answer cannot be written as JSON." };
    return JSON.stringify({ jsonrpc: "2.0", id, error });
  }
}
