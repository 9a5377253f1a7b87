import type { IncomingMessage } from "node:http";

/** A request as it came. */
export interface Arrival {
  readonly request: Request;
  /** By its name in lower case. */
  header(name: string): string | undefined;
  /** The address it came from. */
  readonly remote: string;
  /** Whether anything follows the headers. */
  readonly hasBody: boolean;
}

/** What node gives with a request; absent where one is made without a socket. */
export interface Bindings {
  readonly incoming?: IncomingMessage;
}

export function arrivalOf(request: Request, env: Bindings | undefined): Arrival {
  const incoming = env?.incoming;
  return incoming === undefined ? new MadeRequest(request) : new SocketRequest(request, incoming);
}

/** Node has read the headers already: nothing is made of them that is not asked for. */
class SocketRequest implements Arrival {
  readonly request: Request;
  readonly #incoming: IncomingMessage;

  constructor(request: Request, incoming: IncomingMessage) {
    this.request = request;
    this.#incoming = incoming;
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
}

class MadeRequest implements Arrival {
  readonly request: Request;
  readonly remote = "nowhere";

  constructor(request: Request) {
    this.request = request;
  }

  header(name: string): string | undefined {
    return this.request.headers.get(name) ?? undefined;
  }

  get hasBody(): boolean {
    return this.request.body !== null;
  }
}
