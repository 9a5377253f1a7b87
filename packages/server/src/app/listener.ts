import type { IncomingMessage, RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { SocketRequest } from "../http/arrival.ts";
import type { App } from "./app.ts";
import { ReplyWriter } from "./reply-writer.ts";

/** Bodies up to this many bytes are read to their end even if what they were sent for is refused. */
const SMALL = 65_536;

/**
 * Serves requests as node has them. Most that do something are small and for an operation without names in its path: of those no
 * `Request` and no `Response` is made, which would cost more than all checks of them.
 */
export function listenerOf(app: App, onError: (error: Error) => void): RequestListener {
  const others = getRequestListener((request, env) => app.fetch(request, env as never));
  const replies = new ReplyWriter(onError);
  return (incoming, outgoing) => {
    const { method = "", url = "" } = incoming;
    const operate = method === "GET" || !isSmall(incoming) ? undefined : app.operation(method, url);
    if (operate === undefined) void others(incoming, outgoing);
    else void operate(new SocketRequest(incoming, outgoing)).then((reply) => replies.add(outgoing, reply));
  };
}

function isSmall({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return coding === undefined && Number(length) <= SMALL;
}
