import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, served } from "../../test/served.ts";

let server: Served;
beforeAll(async () => {
  server = await served({});
});
afterAll(() => server.end());

/** Answers of requests that are sent on one connection, one after the other. */
async function answers(count: number, ...requests: string[]): Promise<string[]> {
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  for (const request of requests) socket.write(request);
  await expect.poll(() => text.split("HTTP/1.1 ").length - 1).toBe(count);
  socket.destroy();
  return text.split("HTTP/1.1 ").slice(1);
}

function post(path: string, body: string, headers = ""): string {
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

const ADD = JSON.stringify({ name: "add", arguments: { a: 1, b: 2 } });

test("a request that is refused before its body is read leaves the connection to the next", async () => {
  const refused = post("/api/v1/calls/batch", "x".repeat(60_000), "idempotency-key: k\r\n");
  const [first, second] = await answers(2, refused, post("/api/v1/calls", ADD));
  expect(first).toMatch(/^422 .*takes no Idempotency-Key/s);
  expect(second).toMatch(/^200 .*"value":3/s);
});

test("calls are the same however their bodies come", async () => {
  const text = "é".repeat(100_000);
  const large = JSON.stringify({ name: "echo", arguments: { text } });
  const pieces = ADD.match(/.{1,7}/gs)?.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  const chunked = `POST /api/v1/calls HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${pieces?.join("")}0\r\n\r\n`;
  const request = post("/api/v1/calls", ADD);
  const cut = [request.slice(0, 40), request.slice(40, -5), request.slice(-5)];
  const [one, two, three] = await answers(3, post("/api/v1/calls", large), chunked, ...cut);
  expect(one).toMatch(/^200 .*éé/s);
  for (const each of [two, three]) expect(each).toMatch(/^200 .*"value":3/s);
});

test("a host that is written otherwise than it is known is none", async () => {
  for (const host of ["[::ffff:127.0.0.1]", "0x7f.1", "127.1", "2130706433"]) {
    const [answer] = await answers(1, post("/api/v1/calls", ADD).replace("localhost", host));
    expect(answer, host).toMatch(/^400 .*The Host is none/s);
  }
  const [answer] = await answers(1, post("/api/v1/calls", ADD).replace("localhost", "LocalHost:80"));
  expect(answer).toMatch(/^200 /);
});
