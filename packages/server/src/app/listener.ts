import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { SocketRequest } from "../http/arrival.ts";
import type { Reply } from "../http/reply.ts";
import type { App } from "./app.ts";

/** Bodies up to this many bytes are read to their end even if what they were sent for is refused. */
const SMALL = 65_536;

/**
 * Serves requests as node has them. Most that do something are small and for an operation without names in its path: of those no
 * `Request` and no `Response` is made, which would cost more than all checks of them.
 */
export function listenerOf(app: App, onError: (error: Error) => void): RequestListener {
  const others = getRequestListener((request, env) => app.fetch(request, env as never));
  return (incoming, outgoing) => {
    const { method = "", url = "" } = incoming;
    const operate = method === "GET" || !isSmall(incoming) ? undefined : app.operation(method, url);
    if (operate === undefined) {
      void others(incoming, outgoing);
      return;
    }
    operate(new SocketRequest(incoming, outgoing))
      .then((reply) => send(outgoing, reply))
      .catch((error: Error) => {
        onError(error);
        outgoing.destroy();
      });
  };
}

function isSmall({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return coding === undefined && (length.length < 5 || Number(length) <= SMALL);
}

function send(outgoing: ServerResponse, { status, headers, body }: Reply): void {
  if (body instanceof ReadableStream) {
    outgoing.writeHead(status, headers);
    Readable.from(body).pipe(outgoing);
  } else if (body === null) outgoing.writeHead(status, headers).end();
  else outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}
