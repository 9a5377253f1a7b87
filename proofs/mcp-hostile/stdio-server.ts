/** `node stdio-server.ts NAME`: a hostile MCP server in a process of its own. */
import { createInterface } from "node:readline";
import { stdioBehaviours } from "./behaviours.ts";
import { BASE, type Peer, SILENCE } from "./peer.ts";

const [, , name = ""] = process.argv;
const asked = new Map<string, (answer: never) => void>();
let count = 0;

const peer: Peer = {
  send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
  write: (raw) => void process.stdout.write(raw),
  notify: (method, params = {}) => peer.send({ jsonrpc: "2.0", method, params }),
  ask: (method, params = {}) =>
    new Promise((resolve) => {
      const id = `ask-${count++}`;
      asked.set(id, resolve);
      peer.send({ jsonrpc: "2.0", id, method, params });
    }),
};

process.stdout.on("error", () => process.exit(0));
const server = stdioBehaviours.find((each) => each.name === name)?.server(peer) ?? {};

async function answer(id: unknown, method: string, params: unknown): Promise<void> {
  const own = server[method] ?? BASE[method];
  try {
    if (own === undefined) throw Object.assign(new Error("Method not found"), { code: -32601 });
    const result = await own(params ?? {}, id);
    if (result !== SILENCE && id !== undefined) peer.send({ jsonrpc: "2.0", id, result });
  } catch (error) {
    const { code = -32000, message } = error as { code?: number; message: string };
    if (id !== undefined) peer.send({ jsonrpc: "2.0", id, error: { code, message } });
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, ...rest } = JSON.parse(line);
  if (method === undefined) asked.get(id)?.(rest as never);
  else if (id !== undefined || server[method] !== undefined) void answer(id, method, params);
});
