import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Web {
  port: number;
  origin: string;
  /** What was asked, in order: "GET /path". */
  asked: string[];
  /** The headers of the last request. */
  headers: IncomingMessage["headers"];
  /** How many connections were made. */
  connections: number;
  close(): Promise<void>;
}

/** A server on this machine that notes who comes. */
export async function startWeb(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Web> {
  const server = createServer((request, response) => {
    web.asked.push(`${request.method} ${request.url}`);
    web.headers = request.headers;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const web: Web = {
    port,
    origin: `http://127.0.0.1:${port}`,
    asked: [],
    headers: {},
    connections: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  server.on("connection", () => {
    web.connections += 1;
  });
  return web;
}
