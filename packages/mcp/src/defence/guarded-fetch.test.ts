import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type GuardedFetch, guardedFetch } from "./guarded-fetch.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

interface Place {
  url: string;
  connections: number;
  requests: IncomingMessage[];
}

/** A server on this machine. 127.0.0.2 is one that is not told apart from a private network: only itself is allowed by it. */
async function serve(answer: Answer, host = "127.0.0.2"): Promise<Place> {
  const place: Place = { url: "", connections: 0, requests: [] };
  const server: Server = createServer((request, response) => {
    place.requests.push(request);
    answer(request, response);
  });
  server.on("connection", () => {
    place.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  open.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  place.url = `http://${host}:${(server.address() as AddressInfo).port}/`;
  return place;
}

function fetching(url?: string, more: object = {}): GuardedFetch {
  const made = guardedFetch({ url, maxBytes: 100_000, ...more });
  open.push(made);
  return made;
}

const redirectTo =
  (location: string, status = 302): Answer =>
  (_, response) =>
    void response.writeHead(status, { location }).end();

test("what the operator configured is reached wherever it is", async () => {
  const place = await serve((_, response) => void response.end("hello"));
  const get = fetching(place.url, { headers: { "x-key": "k" } });
  expect(await (await get(`${place.url}path`)).text()).toBe("hello");
  expect(place.requests[0]?.headers["x-key"]).toBe("k");
});

test("nothing else of this machine or its network is, and no connection is attempted", async () => {
  const inner = await serve((_, response) => void response.end("secret"), "127.0.0.1");
  const configured = await serve((_, response) => void response.end("hello"));
  const get = fetching(configured.url);
  const port = new URL(inner.url).port;
  for (const host of ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "[::1]", "0"])
    await expect(get(`http://${host}:${port}/`), host).rejects.toMatchObject({ failure: { kind: "denied" } });
  for (const url of ["http://169.254.169.254/latest", "http://10.0.0.1/", "http://metadata.google.internal/"])
    await expect(get(url), url).rejects.toMatchObject({ failure: { kind: "denied" } });
  for (const url of ["file:///etc/passwd", "http://user:password@example.com/", "gopher://example.com/"])
    await expect(get(url), url).rejects.toMatchObject({ failure: { kind: "denied" } });
  expect(inner.connections).toBe(0);
});

test.each([301, 302, 303, 307, 308])("a redirect (%i) into the house is not followed", async (status) => {
  const inner = await serve((_, response) => void response.end("secret"), "127.0.0.1");
  const configured = await serve(redirectTo(inner.url, status));
  await expect(fetching(configured.url)(configured.url)).rejects.toThrow("not fetched unless");
  await expect(fetching(configured.url)(configured.url, { method: "POST", body: "x" })).rejects.toThrow();
  expect(inner.connections).toBe(0);
});

test("another origin gets neither credentials nor what was sent", async () => {
  const other = await serve((_, response) => void response.end("other"), "127.0.0.1");
  const configured = await serve(
    (request, response) => redirectTo(other.url, 307)(request, response),
    "127.0.0.1",
  );
  const get = fetching(configured.url, { headers: { "x-key": "k" } });
  const headers = { authorization: "Bearer t", cookie: "c", accept: "text/plain" };
  expect(await (await get(configured.url, { headers })).text()).toBe("other");
  expect(configured.requests[0]?.headers).toMatchObject({ authorization: "Bearer t", "x-key": "k" });
  const { authorization, cookie, accept, ...rest } = other.requests[0]?.headers ?? {};
  expect([authorization, cookie, accept, rest["x-key"]]).toEqual([
    undefined,
    undefined,
    "text/plain",
    undefined,
  ]);
  await expect(get(configured.url, { method: "POST", body: "secret" })).rejects.toThrow("not sent there");
  expect(other.requests).toHaveLength(1);
});

test("redirects in a circle end", async () => {
  const place = await serve((request, response) =>
    redirectTo(`/${Number(request.url?.slice(1)) + 1}`)(request, response),
  );
  await expect(fetching(place.url)(`${place.url}1`)).rejects.toThrow("more than 5 times");
});

test("an answer beyond the limit ends, and a stream only in an event that is", async () => {
  const line = `data: ${"x".repeat(50_000)}\n`;
  const place = await serve((request, response) => {
    const isStream = request.url !== "/document";
    response.setHeader("content-type", isStream ? "text/event-stream" : "application/json");
    for (let times = 0; times < 10; times += 1)
      response.write(request.url === "/lines" ? line : `${line}\r\n`);
    response.end();
  });
  const get = fetching(place.url);
  expect((await (await get(`${place.url}events`)).text()).length).toBeGreaterThan(500_000);
  await expect((await get(`${place.url}document`)).text()).rejects.toThrow("more than 100000 bytes");
  await expect((await get(`${place.url}lines`)).text()).rejects.toThrow("more than 100000 bytes");
});
