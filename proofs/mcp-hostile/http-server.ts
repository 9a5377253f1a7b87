/** `node http-server.ts INNER`: every hostile MCP server over HTTP, each below a path of its own. Says its port when it listens. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { httpBehaviours } from "./behaviours.ts";

const [, , inner = ""] = process.argv;

/** Not told apart from a machine of a private network: what it names on this machine may not be reached. */
const HOST = "127.0.0.2";

const server = createServer((request, response) => {
  const { port } = server.address() as AddressInfo;
  const index = Number(/^\/(\d+)/.exec(request.url ?? "")?.[1]);
  response.on("error", () => {});
  const own = `http://${HOST}:${port}/${index}`;
  httpBehaviours[index]?.answer(request, response, { own, inner });
});
server.listen(0, HOST, () => console.log((server.address() as AddressInfo).port));
process.stdin.resume().on("end", () => process.exit(0));
