import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Reply } from "../http/reply.ts";

/**
 * Writes all replies of one turn of the event loop together at its end: with many clients at once a request costs half, with one
 * the same.
 */
export class ReplyWriter {
  readonly #onError: (error: Error) => void;
  #waiting: { outgoing: ServerResponse; reply: Reply }[] = [];

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  add(outgoing: ServerResponse, reply: Reply): void {
    this.#waiting.push({ outgoing, reply });
    if (this.#waiting.length === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { outgoing, reply } of waiting) {
      try {
        send(outgoing, reply);
      } catch (error) {
        this.#onError(error as Error);
        outgoing.destroy();
      }
    }
  }
}

function send(outgoing: ServerResponse, { status, headers, body }: Reply): void {
  if (body instanceof ReadableStream) {
    outgoing.writeHead(status, headers);
    Readable.from(body).pipe(outgoing);
  } else if (body === null) outgoing.writeHead(status, headers).end();
  else outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}
