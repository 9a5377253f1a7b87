import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, served } from "../../test/served.ts";

let server: Served;
beforeAll(async () => {
  server = await served();
});
afterAll(() => server.end());

async function send(
  body: string | Uint8Array<ArrayBuffer>,
): Promise<{ status: number; code?: string; detail?: string }> {
  const response = await fetch(`${server.url}/api/v1/calls`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: response.status, ...((await response.json()) as object) };
}

const pay = (amount: string) => send(`{"name":"pay","arguments":{"amount":${amount}}}`);

test("a member that is there twice is refused by its name, however it is written", async () => {
  const twice = [
    '{"name":"add","name":"pay","arguments":{}}',
    '{"name":"pay","arguments":{},"n\\u0061me" \n :"add"}',
    '{"arguments":{"list":["name",{"\\"":1}],"name":1,"name":2},"name":"pay"}',
  ];
  for (const body of twice)
    expect(await send(body)).toMatchObject({
      status: 400,
      code: "REQUEST_MALFORMED",
      detail: 'The body has "name" twice in one object.',
    });
  expect(server.world.ran).toEqual([]);
});

test("names that are alike in different objects, and colons and quotes in texts, are nothing special", async () => {
  const args = { amount: 1, name: 'a:"b":{"c":1}\\', other: { name: [":", "\\", '\\"', { name: ":" }] } };
  expect((await send(JSON.stringify({ name: "pay", arguments: args }))).status).toBe(200);
});

test("a whole number that would become another is refused; what is kept is taken", async () => {
  for (const amount of [
    "9007199254740993",
    "-9007199254740993",
    "9007199254740993e0",
    "9007199254740993.0",
    "1e999",
    "-1e999",
    "1".repeat(400),
  ])
    expect(await pay(amount), amount).toMatchObject({ status: 422, code: "REQUEST_INVALID" });
  expect((await pay("9007199254740993")).detail).toContain(
    "would become 9007199254740992. Send it as a string.",
  );
  for (const amount of [
    "9007199254740992",
    "123456789012345680000",
    `1${"0".repeat(21)}`,
    "-12",
    "1e21",
    "0.1234567890123456789",
  ])
    expect((await pay(amount)).status, amount).toBe(200);
});

test("bytes that are no UTF-8 are refused, in a body with and without a length; a byte order mark is passed over", async () => {
  const bad = Buffer.from([...Buffer.from('{"name":"'), 0xf0, 0x9f, 0x98, ...Buffer.from('"}')]);
  const wrong = { status: 400, code: "REQUEST_MALFORMED", detail: "The body is not UTF-8." };
  expect(await send(new Uint8Array(bad))).toMatchObject(wrong);
  const streamed = await fetch(`${server.url}/api/v1/calls`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: new Blob([bad]).stream(),
    duplex: "half",
  } as RequestInit);
  expect(await streamed.json()).toMatchObject(wrong);
  expect((await send('\ufeff{"name":"pay","arguments":{"amount":3}}')).status).toBe(200);
  expect((await send('{"name":"pay","arguments":{"to":"\ufffd"}}')).status).toBe(200);
});
