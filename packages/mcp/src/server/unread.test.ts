import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { Executor, Registry, tool } from "@toolrig/core";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../../../../scripts/until.ts";
import { mcpServer } from "./mcp-server.ts";

const any = { type: "object" } as const;
const READS = { sideEffects: "read", idempotent: true } as const;
const LINES = 3_000;
const LINE = "x".repeat(10_000);

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function scene() {
  let begun = 0;
  let logged = 0;
  const large = tool({
    name: "large",
    description: "Much",
    input: any,
    safety: READS,
    async execute() {
      begun += 1;
      return "x".repeat(45_000);
    },
  });
  const chatty = tool({
    name: "chatty",
    description: "Log much",
    input: any,
    safety: READS,
    async execute(_, { log }) {
      for (let line = 0; line < LINES; line++) {
        log.info(LINE);
        logged += 1;
        if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      return "told";
    },
  });
  const served = mcpServer({ executor: new Executor({ tools: new Registry([large, chatty]) }) });
  open.push(() => served.close());
  return { served, begun: () => begun, logged: () => logged };
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const LOGS = { "io.modelcontextprotocol/logLevel": "debug" };
const call = (id: number, name: string, meta: object = META) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {}, _meta: meta } });

/** A client that reads nothing until it is told to. */
class Reader extends Writable {
  read = "";
  lines = 0;
  #goOn: (() => void) | undefined;
  #reads = false;

  override _write(chunk: Buffer, _: string, done: () => void): void {
    const more = chunk.toString();
    this.read += more;
    this.lines += more.split("\n").length - 1;
    if (this.#reads) done();
    else this.#goOn = done;
  }

  begin(): void {
    this.#reads = true;
    this.#goOn?.();
  }

  stop(): void {
    this.#reads = false;
  }

  get messages(): Record<string, unknown>[] {
    return this.read
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }
}

describe("over stdio", () => {
  test("requests of a client that does not read wait, and all are answered once it does", async () => {
    const { served, begun } = scene();
    const input = new PassThrough();
    const output = new Reader();
    void served.stdio({ input, output });
    const calls = 1_500;
    for (let id = 1; id <= calls; id++) input.write(`${call(id, "large")}\n`);
    await until(() => begun() >= 20);
    for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(begun()).toBeLessThan(600);
    expect(output.writableLength).toBeLessThan(16_000_000);
    output.begin();
    await until(() => output.lines === calls);
    expect(new Set(output.messages.map(({ id }) => id)).size).toBe(calls);
  });

  test("logs that a client does not read are dropped, and counted", async () => {
    const { served, logged } = scene();
    const input = new PassThrough();
    const output = new Reader();
    void served.stdio({ input, output });
    input.write(`${call(1, "chatty", { ...META, ...LOGS })}\n`);
    await until(() => logged() === LINES);
    expect(output.writableLength).toBeLessThan(4_000_000);
    output.begin();
    await until(() => output.read.includes('"id":1'));
    expect(missingIn(output.messages)).toBe(LINES);
  });
});

test("malformed lines of a client that does not read its answers are not read on", async () => {
  const { served } = scene();
  const input = new PassThrough();
  const output = new Reader();
  void served.stdio({ input, output });
  const lines = `${"no JSON\n".repeat(1_000)}`;
  let sent = 0;
  const isFull = () => input.isPaused() && input.writableNeedDrain;
  while (!isFull() && sent < 200_000) {
    input.write(lines);
    sent += 1_000;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(isFull()).toBe(true);
  expect(output.writableLength).toBeLessThan(8_000_000);
  output.begin();
  await until(() => output.lines === sent);
});

const SUBSCRIBED = "test://news";
const CHANGES = 30_000;

/** Changes that nobody reads of, over and over. */
async function change(served: ReturnType<typeof mcpServer>) {
  for (let time = 0; time < CHANGES; time++) {
    served.resourceChanged(SUBSCRIBED);
    if (time % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function newsServer() {
  const news = tool({
    name: "news",
    description: "News",
    input: any,
    safety: READS,
    execute: () => "new",
  });
  const served = mcpServer(
    { executor: new Executor({ tools: new Registry([news]) }) },
    { views: { all: { resources: [{ uri: SUBSCRIBED, tool: "news" }] } } },
  );
  open.push(() => served.close());
  return served;
}

const line = (id: number | undefined, method: string, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params });
const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
};

describe("changes that a client does not read of", () => {
  test("are told once over stdio, when it reads again", async () => {
    const served = newsServer();
    const input = new PassThrough();
    const output = new Reader();
    void served.stdio({ input, output });
    input.write(
      `${line(1, "initialize", INITIALIZE)}\n${line(undefined, "notifications/initialized", {})}\n`,
    );
    input.write(`${line(2, "resources/subscribe", { uri: SUBSCRIBED })}\n`);
    output.begin();
    await until(() => output.lines === 2);
    output.stop();
    await change(served);
    expect(output.writableLength).toBeLessThan(2_000_000);
    const before = output.lines;
    output.begin();
    input.write(`${line(3, "ping", {})}\n`);
    await until(() => output.read.includes('"id":3'));
    expect(output.lines - before).toBeLessThan(CHANGES / 2);
    expect(output.messages.at(-1)).toMatchObject({ id: 3 });
  });

  const fetched = (served: ReturnType<typeof mcpServer>, method: string, headers: object, body?: string) =>
    served.fetch(
      new Request("http://127.0.0.1/mcp", {
        method,
        headers: {
          "content-type": "application/json",
          accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
          ...headers,
        },
        ...(body !== undefined && { body }),
      }),
    );

  test("break off the GET stream of a session, which can be opened again", async () => {
    const served = newsServer();
    const begun = await fetched(served, "POST", {}, line(1, "initialize", INITIALIZE));
    const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    await begun.text();
    await (
      await fetched(served, "POST", session, line(2, "resources/subscribe", { uri: SUBSCRIBED }))
    ).text();
    const stream = await fetched(served, "GET", session);
    expect(stream.status).toBe(200);
    await change(served);
    await expect(stream.text()).rejects.toThrow("does not read");
    expect((await fetched(served, "GET", session)).status).toBe(200);
    const resumed = await fetched(served, "GET", { ...session, "last-event-id": "7" });
    expect(resumed.status).toBe(400);
    expect(await resumed.text()).toContain("Streams are not resumed");
  });

  test("break off a subscription of 2026-07-28", async () => {
    const served = newsServer();
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
    const notifications = { resourceSubscriptions: [SUBSCRIBED] };
    const body = line(1, "subscriptions/listen", { notifications, _meta: META });
    const stream = await fetched(served, "POST", headers, body);
    expect(stream.status).toBe(200);
    await change(served);
    await expect(stream.text()).rejects.toThrow("does not read");
  });
});

/** How many lines were told or counted. */
function missingIn(messages: readonly Record<string, unknown>[]): number {
  let all = 0;
  for (const { method, params } of messages) {
    if (method !== "notifications/message") continue;
    const { data } = params as { data: string };
    const missing = /^(\d+) messages are missing/.exec(data)?.[1];
    all += missing === undefined ? 1 : Number(missing);
  }
  return all;
}

describe.each(["2025-11-25", "2026-07-28"])("over HTTP, %s", (era) => {
  test("logs that a client does not read are dropped, and counted", async () => {
    const { served, logged } = scene();
    const http = createServer((incoming, response) => void served.node(incoming, response));
    open.push(() => http.closeAllConnections() ?? http.close());
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const { port } = http.address() as AddressInfo;
    const post = async (body: string, headers: Record<string, string> = {}) => {
      const accept = "application/json, text/event-stream";
      const sent = request({
        ...{ host: "127.0.0.1", port, path: "/mcp", method: "POST" },
        headers: { "content-type": "application/json", accept, ...headers },
      });
      sent.end(body);
      const [response] = await once(sent, "response");
      return response;
    };
    let headers: Record<string, string> = {
      "mcp-protocol-version": era,
      "mcp-method": "tools/call",
      "mcp-name": "chatty",
    };
    let meta: object = { ...META, ...LOGS };
    if (era === "2025-11-25") {
      const params = { protocolVersion: era, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
      const begun = await post(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
      begun.resume();
      headers = { "mcp-protocol-version": era, "mcp-session-id": begun.headers["mcp-session-id"] };
      const level = { jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "debug" } };
      (await post(JSON.stringify(level), headers)).resume();
      meta = {};
    }
    const response = await post(call(1, "chatty", meta), headers);
    await until(() => logged() === LINES);
    const read = await text(response);
    const messages = read
      .split("\n")
      .flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : []));
    expect(read.length).toBeLessThan(12_000_000);
    expect(missingIn(messages)).toBe(LINES);
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: "told" }] } });
  });
});
