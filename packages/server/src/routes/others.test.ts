import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, served, tokenOf } from "../../test/served.ts";

const SECRET = "hunter2hunter2";

let server: Served;
beforeAll(async () => {
  server = await served({
    tokens: [
      tokenOf("ann", "call", "read"),
      tokenOf("bob", "call"),
      tokenOf("reader", "read"),
      tokenOf("root", "admin"),
    ],
  });
});
afterAll(() => server.end());

describe("what somebody else's call came to", () => {
  test.each([{ async: true }, { key: "k1" }])(
    "is told without secrets, but whole to whoever made it: %j",
    async ({ async, key }) => {
      const { body } = await server.ask("/api/v1/calls", {
        method: "POST",
        as: "ann",
        body: { name: "echo", arguments: { text: SECRET }, ...(async === true && { async }) },
        ...(key !== undefined && { headers: { "idempotency-key": key } }),
      });
      const path = `/api/v1/calls/${body.executionId}`;
      await expect.poll(async () => (await server.ask(path, { as: "ann" })).body.result).toBeDefined();
      expect(JSON.stringify((await server.ask(path, { as: "ann" })).body.result)).toContain(SECRET);
      for (const as of ["reader", "root"]) {
        const seen = await server.ask(path, { as });
        expect(seen.status).toBe(200);
        expect(JSON.stringify(seen.body)).not.toContain(SECRET);
      }
    },
  );
});
