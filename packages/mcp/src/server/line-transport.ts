import type { Readable, Writable } from "node:stream";
import { type JSONRPCMessage, ProtocolErrorCode, type Transport } from "@modelcontextprotocol/server";
import { isRecord } from "@toolrig/core/kit";
import { parseMessage, REQUEST_LIMITS } from "../wire/parse-message.ts";

const NEWLINE = 10;

/**
 * Messages over a pair of streams, one a line. A line that is too long, no UTF-8 or no message is answered with an error and
 * passed over: the lines after it are served. Ends when the input does.
 */
export class LineTransport implements Transport {
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
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#end);
  }

  /** Resolves when the other side keeps up, so that what it does not read is not piled up here. */
  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (this.#unsent === "") process.nextTick(this.#flush);
    this.#unsent += `${written(message)}\n`;
    if (!this.#output.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#output.off("drain", done);
        this.#output.off("close", done);
        resolve();
      };
      this.#output.on("drain", done);
      this.#output.on("close", done);
    });
  }

  readonly #flush = (): void => {
    const text = this.#unsent;
    this.#unsent = "";
    if (text !== "") this.#output.write(text);
  };

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    this.#input.off("data", this.#read);
    this.#input.off("end", this.#end);
    this.#input.off("close", this.#end);
    this.#input.pause();
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
    else if (this.first?.(message) !== true) this.onmessage?.(message);
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
