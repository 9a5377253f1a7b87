import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, served, tokenOf } from "../../test/served.ts";
import type { DeniedRequest } from "../index.ts";

const errors: Error[] = [];
let server: Served;
beforeAll(async () => {
  server = await served({
    tokens: [tokenOf("ann", "read"), tokenOf("eve", "tools:add"), tokenOf("root", "admin")],
    limits: { rate: { limit: 20, per: "1m" } },
    fleet: {
      workers: () => [],
      queues: () => Promise.reject(new Error("no answer from nats://s3cr3tt0ken@host")),
      deadLetters: async () => [],
      retryDeadLetter: () => Promise.reject(new Error("no answer from nats://s3cr3tt0ken@host")),
      dropDeadLetter: async () => {},
    },
    onError: (error) => void errors.push(error),
  });
});
afterAll(() => server.end());

describe("the log of refused requests", () => {
  const denied = async (): Promise<DeniedRequest[]> =>
    (await server.ask("/api/v1/denied", { as: "root" })).body.items;

  test.each(["/metrics", "/mcp", "/api/v1/fleet"])("says whose token it was: %s", async (path) => {
    expect((await server.ask(path, { as: path === "/mcp" ? "ann" : "eve" })).status).toBe(403);
    expect(await denied()).toContainEqual(
      expect.objectContaining({ path, status: 403, principal: path === "/mcp" ? "ann" : "eve" }),
    );
  });

  test("also of those who came too often", async () => {
    let status = 0;
    for (let n = 0; n < 30 && status !== 429; n++)
      ({ status } = await server.ask("/api/v1/tools", { as: "ann" }));
    expect(await denied()).toContainEqual(
      expect.objectContaining({ code: "RATE_LIMITED", principal: "ann" }),
    );
  });
});

test("a problem says nothing of what was thrown that is secret; the server's log does", async () => {
  const { status, headers, body } = await server.ask("/api/v1/fleet", { as: "root" });
  expect([status, body.code, headers.get("retry-after")]).toEqual([503, "STORE_FAILED", "1"]);
  expect(JSON.stringify(body)).not.toContain("s3cr3tt0ken");
  expect(errors.map(({ cause }) => String(cause))).toContainEqual(expect.stringContaining("s3cr3tt0ken"));
});
