import type { IncomingMessage, ServerResponse } from "node:http";

/** A request as it came. */
export interface Arrival {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** By its name in lower case. */
  header(name: string): string | undefined;
  /** The address it came from. */
  readonly remote: string;
  /** Whether anything follows the headers. */
  readonly hasBody: boolean;
  /** What follows the headers, whole. Rejects where it ends before it is. How much it may be is for others to look at. */
  body(): Promise<Buffer>;
  /** The same as it comes. */
  pieces(): AsyncIterable<Uint8Array>;
  /** Aborted when the client goes away; by others as well, who work for this request alone. */
  readonly life: AbortController;
}

/** What node gives with a request; absent where one is made without a socket. */
export interface Bindings {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
}

export function arrivalOf(request: Request, { incoming, outgoing }: Bindings = {}): Arrival {
  return incoming === undefined || outgoing === undefined
    ? new MadeRequest(request)
    : new SocketRequest(incoming, outgoing);
}

/** Node has read the headers already: nothing is made of them that is not asked for. */
export class SocketRequest implements Arrival {
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #life: AbortController | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  get method(): string {
    return this.#incoming.method ?? "";
  }

  get target(): string {
    return this.#incoming.url ?? "";
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  get remote(): string {
    return this.#incoming.socket.remoteAddress ?? "unknown";
  }

  get hasBody(): boolean {
    const { headers } = this.#incoming;
    return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
  }

  /** Most often it is one piece, and that is not copied. */
  body(): Promise<Buffer> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      incoming.on("data", (piece: Buffer) => pieces.push(piece));
      incoming.on("end", () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)));
      const left = () => {
        if (!incoming.readableEnded) reject(wentAway());
      };
      incoming.on("error", left);
      incoming.on("close", left);
      if (incoming.destroyed) left();
    });
  }

  /** Whoever has had enough has still to be answered: the connection stays. */
  pieces(): AsyncIterable<Uint8Array> {
    return this.#incoming.iterator({ destroyOnReturn: false });
  }

  get life(): AbortController {
    if (this.#life === undefined) {
      const life = new AbortController();
      const outgoing = this.#outgoing;
      const left = () => {
        if (!outgoing.writableFinished) life.abort(wentAway());
      };
      outgoing.on("close", left);
      if (outgoing.destroyed) left();
      this.#life = life;
    }
    return this.#life;
  }
}

class MadeRequest implements Arrival {
  readonly method: string;
  readonly target: string;
  readonly remote = "nowhere";
  readonly #request: Request;
  #life: AbortController | undefined;

  constructor(request: Request) {
    this.#request = request;
    this.method = request.method;
    this.target = targetOf(request);
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  get hasBody(): boolean {
    return this.#request.body !== null;
  }

  async body(): Promise<Buffer> {
    return Buffer.from(await this.#request.arrayBuffer());
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    yield* this.#request.body ?? [];
  }

  get life(): AbortController {
    if (this.#life === undefined) {
      const life = new AbortController();
      const { signal } = this.#request;
      const left = () => life.abort(signal.reason);
      signal.addEventListener("abort", left);
      if (signal.aborted) left();
      this.#life = life;
    }
    return this.#life;
  }
}

/** Path and query of a request. */
export function targetOf({ url }: Request): string {
  return url.slice(url.indexOf("/", "https://".length));
}

function wentAway(): DOMException {
  return new DOMException("The client went away.", "AbortError");
}
