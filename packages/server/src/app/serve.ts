import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Duration, ToolrigError } from "@toolrig/core";
import { parseDuration } from "@toolrig/core/kit";
import type { ServedRig } from "../served-rig.ts";
import { App } from "./app.ts";
import { listenerOf } from "./listener.ts";
import { type ServeOptions, settingsFrom } from "./settings.ts";
import { refusingStrange } from "./strange-request.ts";

/** How long calls that were cancelled may take to say so. */
const CANCEL_MS = 1_000;

/** A rig that is served over HTTP. */
export interface ServedHttp {
  /** Where it is, without a path: "http://127.0.0.1:7420". */
  readonly url: string;
  readonly port: number;
  /** The same without a socket. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Takes no more calls, lets those under way end for at most `timeout` ("5s"), cancels the rest, and closes all connections. The rig stays open. */
  close(timeout?: Duration): Promise<void>;
}

/**
 * Serves a rig: HTTP API, live events, MCP, console. Rejects with `OPTION_INVALID` for options that are wrong and where it cannot
 * listen.
 */
export async function serve(rig: ServedRig, options: ServeOptions = {}): Promise<ServedHttp> {
  const settings = settingsFrom(options);
  const app = new App(rig, settings);
  const { limits, host } = settings;
  const listener = refusingStrange(listenerOf(app, settings.onError));
  const server = createServer(
    {
      headersTimeout: limits.headerMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16_384,
    },
    listener,
  );
  server.maxConnections = limits.connections;
  server.maxRequestsPerSocket = 0;
  try {
    await listen(server, settings.port, host);
  } catch (error) {
    await app.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const stopRunning = settings.runApproved ? rig.waits.runApproved() : undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    fetch: async (request) => app.fetch(request),
    async close(timeout = "5s") {
      stopRunning?.();
      app.drain();
      const closed = once(server.close(), "close");
      await settled(app, parseDuration(timeout, "timeout"));
      app.context.desk.cancelAll();
      await settled(app, CANCEL_MS);
      await app.close();
      await leave(server, closed);
    },
  };
}

/** Until no call that came over HTTP is under way, or the time is up. */
async function settled(app: App, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  const { slots } = app.context.desk;
  while (slots.running + slots.queued > 0 && performance.now() < until) await pause(20);
}

/** Connections are closed as their answers have been written; those that do not take them, after a while. */
async function leave(server: Server, closed: Promise<unknown>): Promise<void> {
  const often = setInterval(() => server.closeIdleConnections(), 20);
  const late = setTimeout(() => server.closeAllConnections(), 1_000);
  await closed;
  clearInterval(often);
  clearTimeout(late);
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new ToolrigError("OPTION_INVALID", `Cannot listen on ${host}:${port}: ${(error as Error).message}`);
  }
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error, socket as Socket));
}

/** What could not even be read as a request. */
function refuse({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return;
  const status =
    code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
