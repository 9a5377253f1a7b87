import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, served, tokenOf } from "../../test/served.ts";

let server: Served;
beforeAll(async () => {
  server = await served({ tokens: [tokenOf("ann", "call", "read"), tokenOf("root", "admin")] });
});
afterAll(() => server.end());

async function artifactOf(length: number): Promise<string> {
  const { body } = await server.ask("/api/v1/calls", {
    method: "POST",
    as: "ann",
    body: { name: "secret_text", arguments: { length } },
  });
  return `/api/v1/artifacts/${body.artifact}`;
}

test("text that was kept is told without its secrets, whole and in ranges", async () => {
  const path = await artifactOf(5_000);
  const whole = await server.ask(path, { as: "ann" });
  expect(whole.status).toBe(200);
  expect(whole.body.startsWith("line\nline")).toBe(true);
  expect(whole.body).not.toContain("hunter2");
  expect(Number(whole.headers.get("content-length"))).toBe(whole.body.length);
  const part = await server.ask(path, { as: "ann", headers: { range: "bytes=4990-" } });
  expect([part.status, part.body]).toEqual([206, whole.body.slice(4990)]);
});

test("text that is too large for that is told only to whoever may do everything", async () => {
  const path = await artifactOf(3_000_000);
  expect((await server.ask(path, { as: "ann" })).body).toMatchObject({ status: 403, code: "SCOPE_MISSING" });
  expect((await server.ask(path, { as: "root" })).body).toContain("hunter2hunter2");
});

test("bytes that are no text are told as they are", async () => {
  const bytes = new Uint8Array(3_000_000).fill(0xff);
  for (const kept of [bytes, bytes.subarray(0, 1_000)]) {
    const id = await server.rig.executor.artifacts.put(kept);
    const response = await fetch(`${server.url}/api/v1/artifacts/${id}`, {
      headers: { authorization: "Bearer ann" },
    });
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), kept)).toBe(0);
  }
});
