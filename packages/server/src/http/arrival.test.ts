import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, served } from "../../test/served.ts";

let server: Served;
beforeAll(async () => {
  server = await served({ origins: ["https://app.example.com"], limits: { streams: 1 } });
});
afterAll(() => server.end());

async function raw(request: string): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  socket.end(`${request}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  await once(socket, "close");
  return text;
}

test("a body that may be left out need not be announced either", async () => {
  const { body } = await server.ask("/api/v1/calls", {
    method: "POST",
    body: { name: "send_mail", arguments: { to: "ann" } },
  });
  expect(await raw("POST /api/v1/calls HTTP/1.1")).toMatch(/^HTTP\/1\.1 422 /);
  const id = encodeURIComponent((await server.ask("/api/v1/inbox")).body.items[0].id);
  expect(await raw(`POST /api/v1/inbox/${id}/approve HTTP/1.1`)).toMatch(/^HTTP\/1\.1 204 /);
  await expect.poll(() => server.world.ran).toEqual(["mail ann"]);
  expect(body.state).toBe("waiting");
});

test("HEAD takes no place of a reader", async () => {
  const paths = ["events", "calls/some/events", "runs/some/events", "records/export", "artifacts/some"];
  for (const path of [...paths, ...paths])
    expect((await server.ask(`/api/v1/${path}`, { method: "HEAD" })).status, path).toBe(405);
  const controller = new AbortController();
  const feed = await fetch(`${server.url}/api/v1/events`, { signal: controller.signal });
  expect(feed.status).toBe(200);
  controller.abort();
});

test("a page that may come may speak MCP", async () => {
  const headers = { origin: "https://app.example.com", "access-control-request-method": "POST" };
  const { status, headers: told } = await server.ask("/mcp", { method: "OPTIONS", headers });
  expect(status).toBe(204);
  const sent = [
    "authorization",
    "content-type",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
  ];
  for (const name of sent) expect(told.get("access-control-allow-headers")?.split(", ")).toContain(name);
});

test("a page that may come is told of problems as well", async () => {
  const headers = { origin: "https://app.example.com" };
  const { status, headers: told } = await server.ask("/api/v1/calls/nothing", { headers });
  expect([status, told.get("access-control-allow-origin")]).toEqual([404, "https://app.example.com"]);
  const other = await server.ask("/api/v1/server", { headers: { origin: "https://evil.example.com" } });
  expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([403, null]);
});
