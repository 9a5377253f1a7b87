import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Executor, Registry, tool } from "@toolrig/core";
import { type ConnectionOptions, connectMcp, mcpServer } from "@toolrig/mcp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { telemetry } from "../src/telemetry.ts";
import { type PlainSpan, plainSpan, tracing } from "./spans.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-traces-"));
const there = tracing();
const greet = tool({
  name: "greet",
  description: "Greet",
  input: { type: "object" },
  execute: () => "hello",
});
const served = mcpServer(
  {
    executor: new Executor({
      tools: [greet],
      tracer: telemetry({ tracerProvider: there.tracerProvider }),
    }),
  },
  { name: "greeter", version: "1.0.0" },
);
const http = createServer((request, response) => void served.node(request, response));

beforeAll(async () => {
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
});
afterAll(async () => {
  await served.close();
  http.close();
  http.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const address = () => `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
const program = join(import.meta.dirname, "mcp-child.ts");
let files = 0;

interface Way {
  server: ConnectionOptions;
  /** What the other side has exported. */
  spans(): PlainSpan[];
}

function overStdio(): Way {
  const file = join(folder, `${++files}.ndjson`);
  return {
    server: { command: process.execPath, args: ["--conditions=@toolrig/source", program, file] },
    spans: () =>
      existsSync(file)
        ? readFileSync(file, "utf8")
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => JSON.parse(line) as PlainSpan)
        : [],
  };
}

function overHttp(): Way {
  const before = there.all().length;
  return { server: { url: address() }, spans: () => there.all().slice(before).map(plainSpan) };
}

describe.each([
  ["stdio", "2025", overStdio],
  ["stdio", "2026", overStdio],
  ["HTTP", "2025", overHttp],
  ["HTTP", "2026", overHttp],
] as const)("over %s, era %s", (_, era, make) => {
  test("a server's spans are below those of the calls that its client makes", async () => {
    const here = tracing();
    const { server, spans } = make();
    const registry = new Registry();
    const tracer = telemetry({ tracerProvider: here.tracerProvider });
    const executor = new Executor({ tools: registry, tracer });
    const mcp = connectMcp({ registry }, { servers: { far: { ...server, era } } });
    await mcp.ready;
    // More than one: after the first the server knows the client, and answers on a shorter way.
    for (const id of ["c1", "c2", "c3"])
      expect((await executor.call({ id, name: "far__greet", arguments: {} })).value).toBe("hello");
    await mcp.close();
    await expect.poll(spans).toHaveLength(3);
    const sent = here.named("execute_tool far__greet").map((span) => span.spanContext());
    expect(spans().map(({ name, parentSpanId, traceId }) => [name, parentSpanId, traceId])).toEqual(
      sent.map(({ spanId, traceId }) => ["execute_tool greet", spanId, traceId]),
    );
  });
});

test("a client that knows only HTTP says it in the headers", async () => {
  const before = there.all().length;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const ids = ["b7ad6b7169203331", "b7ad6b7169203332"];
  for (const id of ids) {
    const response = await fetch(address(), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "greet",
        traceparent: `00-0af7651916cd43dd8448eb211c80319c-${id}-01`,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "greet", arguments: {}, _meta },
      }),
    });
    expect(await response.text()).toContain("hello");
  }
  const parents = there
    .all()
    .slice(before)
    .map((span) => span.parentSpanContext?.spanId);
  expect(parents).toEqual(ids);
});
