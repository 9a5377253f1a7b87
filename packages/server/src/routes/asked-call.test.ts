import { type DataLabels, Executor, result, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { serve } from "../index.ts";

/** A row whose connection is closed by the time that its answer is written. */
class Row {
  #reads = 0;

  toJSON(): unknown {
    this.#reads += 1;
    if (this.#reads > 1) throw new Error("the connection is closed");
    return { id: 7 };
  }
}

/** A server with one tool, and a way to post to it. */
async function served(execute: () => unknown) {
  const readRow = tool({ name: "read_row", description: "Read a row", input: { type: "object" }, execute });
  const executor = new Executor({ tools: [readRow] });
  const { tools, events, waits } = executor;
  const rig = {
    ...{ executor, tools, events, waits },
    call: executor.call.bind(executor),
    batch: executor.batch.bind(executor),
    close: async () => {},
  };
  const http = await serve(rig, { port: 0, console: false, mcp: false });
  const post = async (path: string, body: object, more: Record<string, string> = {}) => {
    const headers = { "content-type": "application/json", ...more };
    const response = await fetch(http.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return [response.status, await response.json()];
  };
  return { post, close: () => http.close() };
}

const shown = { isError: false, content: [{ type: "text", text: '{"id":7}' }] };

test("a call that was made is answered, though its value cannot be written any more", async () => {
  let ran = 0;
  const { post, close } = await served(() => {
    ran += 1;
    return new Row();
  });
  expect(await post("/api/v1/calls", { name: "read_row" })).toMatchObject([200, shown]);
  const calls = [{ name: "read_row" }, { name: "read_row" }];
  expect(await post("/api/v1/calls/batch", { calls })).toMatchObject([200, { results: [shown, shown] }]);
  expect(ran).toBe(3);
  const key = { "idempotency-key": "k" };
  for (let sent = 0; sent < 2; sent++)
    expect(await post("/api/v1/calls", { name: "read_row" }, key)).toMatchObject([200, shown]);
  expect(ran).toBe(4);
  await close();
});

test("a call that was made is answered, whatever its effects, labels and details hold", async () => {
  const around: Record<string, unknown> = {};
  around.again = around;
  const { post, close } = await served(() =>
    result({
      value: { id: 7 },
      details: around,
      effects: [{ type: "custom", name: "sent", data: { id: 7n, around } }],
      labels: { source: "mail", around } as DataLabels,
    }),
  );
  const effects = [{ type: "custom", name: "sent", data: { id: "7" } }];
  expect(await post("/api/v1/calls", { name: "read_row" })).toMatchObject([
    200,
    { ...shown, effects, labels: { source: "mail" } },
  ]);
  await close();
});
