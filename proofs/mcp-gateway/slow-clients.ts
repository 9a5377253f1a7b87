/** Clients that leave unread what they are sent, and what the server holds for them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { ProofMode, Verdict } from "../proof.ts";

export const SUBSCRIBED = "proof://news";
const CLIENTS = 20;
const CHANGES = 40_000;
const CALLS = 40;
const LINES = 4_000;
const MIB = 1_048_576;
/** Of what each may leave unread: a stream of notifications, or the progress and logs of a call with its answer. */
const MOST = 3 * MIB;
/** Of one over stdio: answers of 256 requests, of 45 kB, and the requests that wait. */
const MOST_STDIO = 32 * MIB;

const V2026 = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": V2026,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "slow", version: "1" },
};
const message = (method: string, params: object, id = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

interface Way {
  name: string;
  /** What one client sends before it reads no more, on connections of its own. */
  begin(port: number): Promise<Socket[]>;
  /** How often something that was subscribed to then changes. */
  change?: number;
}

/** A request whose response nobody reads. */
function unread(port: number, method: string, headers: Record<string, string>, body = ""): Socket {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`${method} /mcp HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  return socket;
}

async function read(port: number, headers: Record<string, string>, body: string): Promise<Response> {
  const accept = "application/json, text/event-stream";
  const all = { "content-type": "application/json", accept, ...headers };
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers: all, body });
  await response.text();
  return response;
}

/** The headers of a new session. */
async function session(port: number): Promise<Record<string, string>> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "slow", version: "1" },
  };
  const begun = await read(port, {}, message("initialize", params));
  return {
    "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-11-25",
  };
}

const modern = (method: string, name?: string) => ({
  "mcp-protocol-version": V2026,
  "mcp-method": method,
  ...(name !== undefined && { "mcp-name": name }),
});

const WAYS: readonly Way[] = [
  {
    name: "2025-11-25, the GET stream of a session",
    change: CHANGES,
    async begin(port) {
      const headers = await session(port);
      await read(port, headers, message("resources/subscribe", { uri: SUBSCRIBED }));
      return [unread(port, "GET", headers)];
    },
  },
  {
    name: "2026-07-28, subscriptions/listen",
    change: CHANGES,
    async begin(port) {
      const notifications = { resourceSubscriptions: [SUBSCRIBED] };
      const body = message("subscriptions/listen", { notifications, _meta: META });
      return [unread(port, "POST", modern("subscriptions/listen"), body)];
    },
  },
  {
    name: "2025-11-25, 30 MB of logs on the stream of a call",
    async begin(port) {
      const headers = await session(port);
      await read(port, headers, message("logging/setLevel", { level: "debug" }));
      return [unread(port, "POST", headers, message("tools/call", { name: "chatty", arguments: {} }))];
    },
  },
  {
    name: "2026-07-28, 30 MB of logs on the stream of a call",
    async begin(port) {
      const _meta = { ...META, "io.modelcontextprotocol/logLevel": "debug" };
      const body = message("tools/call", { name: "chatty", arguments: {}, _meta });
      return [unread(port, "POST", modern("tools/call", "chatty"), body)];
    },
  },
  {
    name: `2025-11-25, ${CALLS} answers of 45 kB`,
    async begin(port) {
      const headers = await session(port);
      return Array.from({ length: CALLS }, (_, id) =>
        unread(port, "POST", headers, message("tools/call", { name: "large", arguments: {} }, id + 2)),
      );
    },
  },
];

class Server {
  readonly #child: ChildProcess;

  constructor(mode: "http" | "stdio") {
    const program = new URL("./slow-server.ts", import.meta.url).pathname;
    const flags = ["--expose-gc", "--conditions=@toolrig/source", program, mode];
    const stdio = ["pipe", "pipe", "inherit", "ipc"] as const;
    this.#child = spawn(process.execPath, flags, { stdio: [...stdio] });
    // It is ended while requests still wait to be written.
    this.#child.stdin?.on("error", () => {});
  }

  get input() {
    return this.#child.stdin;
  }

  get output() {
    return this.#child.stdout;
  }

  async port(): Promise<number> {
    const [{ port }] = (await once(this.#child, "message")) as [{ port: number }];
    return port;
  }

  /** Bytes that it holds, after so many changes. */
  async held(change = 0): Promise<number> {
    this.#child.send({ change });
    const [{ held }] = (await once(this.#child, "message")) as [{ held: number }];
    return held;
  }

  /** The most that it held while it was looked at, until that no longer grows. */
  async most(change: number): Promise<number> {
    let most = await this.held(change);
    for (let steady = 0; steady < 5; ) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const now = await this.held();
      steady = now > most ? 0 : steady + 1;
      most = Math.max(most, now);
    }
    return most;
  }

  stop(): void {
    this.#child.kill();
  }
}

const inMib = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;

/** What a server holds for 20 clients over HTTP, and for one over stdio, that do not read. */
export async function slowClients(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const tally: Verdict = { passed: 0, failed: 0 };
  const judge = (name: string, grown: number, most: number) => {
    const isHeld = grown <= most;
    tally[isHeld ? "passed" : "failed"] += 1;
    print(`${isHeld ? "held" : "MISS"}  unread: ${name}: ${inMib(grown)} of ${inMib(most)}`);
  };
  for (const { name, begin, change = 0 } of mode === "quick" ? WAYS.slice(0, 1) : WAYS) {
    const server = new Server("http");
    const port = await server.port();
    const before = await server.held();
    const sockets: Socket[] = [];
    for (let client = 0; client < CLIENTS; client++) sockets.push(...(await begin(port)));
    judge(`${CLIENTS} clients, ${name}`, (await server.most(change)) - before, CLIENTS * MOST);
    for (const socket of sockets) socket.destroy();
    server.stop();
  }
  if (mode === "full")
    judge(`one client over stdio, ${LINES} calls of 45 kB`, await grownOverStdio(), MOST_STDIO);
  return tally;
}

async function grownOverStdio(): Promise<number> {
  const server = new Server("stdio");
  const before = await server.held();
  for (let id = 1; id <= LINES; id++)
    server.input?.write(`${message("tools/call", { name: "large", arguments: {}, _meta: META }, id)}\n`);
  const grown = (await server.most(0)) - before;
  server.stop();
  return grown;
}
