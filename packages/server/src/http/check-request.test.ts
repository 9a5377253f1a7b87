import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, served } from "../../test/served.ts";

let server: Served;
beforeAll(async () => {
  server = await served();
});
afterAll(() => server.end());

const post = (path: string, body: object) => server.ask(`/api/v1${path}`, { method: "POST", body });

test.each(["a\nb", "a\u001b[31m", "a\u202eb", "", "a\u0085"])(
  "no id has what is not seen: %j",
  async (id) => {
    for (const field of ["id", "runId", "requestId"])
      expect((await post("/calls", { name: "add", arguments: { a: 1, b: 1 }, [field]: id })).status).toBe(
        422,
      );
  },
);

test("parameters that mean nothing are refused", async () => {
  for (const query of [
    "calls?state=bogus",
    "calls?state=ok,",
    "calls?tool=,",
    "calls?blame=me",
    "runs?state=odd",
  ])
    expect([query, (await server.ask(`/api/v1/${query}`)).status]).toEqual([query, 422]);
  for (const query of ["calls?state=ok,failed&blame=tool", "calls?tool=add,pay", "runs?state=running"])
    expect([query, (await server.ask(`/api/v1/${query}`)).status]).toEqual([query, 200]);
});

test("what is wrong was named twice", async () => {
  const detailOf = async (asked: ReturnType<typeof post>) => (await asked).body.detail;
  expect(await detailOf(post("/calls", { name: "add", url: 1 }))).toMatch(/^url: unknown property\./);
  expect(await detailOf(server.ask("/api/v1/calls?blame=me&blame=you"))).toBe("blame was given twice.");
});
