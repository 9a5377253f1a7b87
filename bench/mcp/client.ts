import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { GATEWAY_PREFIX, type Kind, type Transport } from "./kind.ts";

/** The longest that an answer may take, in ms: a benchmark that hangs says so. */
const PATIENCE_MS = 30_000;

/** A server in a process of its own, and the least client that keeps it busy: what is measured is the server. */
export interface Peer {
  /** Makes `count` calls, so many at a time. */
  run(count: number, concurrency: number): Promise<void>;
  list(): Promise<void>;
  /** CPU time that the server has had, in ms. */
  cpu(): Promise<number>;
  stop(): void;
}

const VERSION = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function message(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: META } });
}

const ARGUMENTS = { text: "a text of some length, as arguments are", times: 1 };

export async function start(kind: Kind, transport: Transport, tools = 1): Promise<Peer> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "server.ts"), kind, transport, String(tools)],
    {
      stdio: ["pipe", "pipe", "inherit", "ipc"],
    },
  );
  const send = transport === "stdio" ? overStdio(child) : await overHttp(child);
  const call = {
    name: kind.endsWith("gateway") ? `${GATEWAY_PREFIX}echo_0` : "echo_0",
    arguments: ARGUMENTS,
  };
  let id = 0;
  const one = async (method: string, params: { name?: string }) => {
    id += 1;
    const answer = await send(id, method, params);
    if (!answer.includes('"result"'))
      throw new Error(`${kind} over ${transport} answered ${answer.slice(0, 300)}`);
    if (answer.includes('"isError":true'))
      throw new Error(`${kind}: the call failed: ${answer.slice(0, 300)}`);
  };
  const peer: Peer = {
    async run(count, concurrency) {
      let left = count;
      const lane = async () => {
        while (left-- > 0) await one("tools/call", call);
      };
      await Promise.all(Array.from({ length: concurrency }, lane));
    },
    list: () => one("tools/list", {}),
    async cpu() {
      child.send("cpu");
      const [{ user, system }] = (await once(child, "message")) as [NodeJS.CpuUsage];
      return (user + system) / 1000;
    },
    stop: () => child.disconnect(),
  };
  await peer.list();
  return peer;
}

type Send = (id: number, method: string, params: { name?: string }) => Promise<string>;

function overStdio(child: ChildProcess): Send {
  const { stdin, stdout } = child as { stdin: Writable; stdout: Readable };
  const waiting = new Map<number, (line: string) => void>();
  let rest = "";
  stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const id = Number(/"id":(\d+)/.exec(line)?.[1]);
      waiting.get(id)?.(line);
      waiting.delete(id);
    }
  });
  child.once("exit", (code) => {
    if (waiting.size > 0) throw new Error(`The server ended with ${code} and left ${waiting.size} calls.`);
  });
  return (id, method, params) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      stdin.write(`${message(id, method, params)}\n`);
    });
}

async function overHttp(child: ChildProcess): Promise<Send> {
  const [port] = (await once(child, "message")) as [number];
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return (id, method, params) =>
    new Promise((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": method,
        ...(params.name !== undefined && { "mcp-name": params.name }),
      };
      const sent = request(
        { host: "127.0.0.1", port, path: "/mcp", method: "POST", agent, headers },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            text += chunk;
          });
          response.on("end", () => resolve(text));
        },
      );
      sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error(`No answer within ${PATIENCE_MS} ms.`)));
      sent.on("error", reject);
      sent.end(message(id, method, params));
    });
}
