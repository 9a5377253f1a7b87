import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, served } from "../../test/served.ts";

let server: Served;
beforeAll(async () => {
  server = await served({
    limits: { runs: 2 },
    script: [{ calls: [{ name: "hold", arguments: {} }] }, { text: "done" }],
  });
});
afterAll(() => server.end());

const post = (path: string, body: object) => server.ask(`/api/v1${path}`, { method: "POST", body });

test("so many runs are under way, and more are not begun", async () => {
  const started = await Promise.all([1, 2, 3, 4, 5].map((n) => post("/runs", { input: `task ${n}` })));
  expect(started.map(({ status }) => status).sort()).toEqual([201, 201, 503, 503, 503]);
  const refused = started.find(({ status }) => status === 503);
  expect([refused?.body.code, refused?.headers.get("retry-after")]).toEqual(["OVERLOADED", "5"]);
  server.world.release();
  await expect.poll(() => server.rig.runs?.size).toBe(0);
  expect((await post("/runs", { input: "again" })).status).toBe(201);
});
