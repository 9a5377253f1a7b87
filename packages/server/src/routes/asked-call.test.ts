import { Executor, tool } from "@toolrig/core";
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

test("a call that was made is answered, though its value cannot be written any more", async () => {
  let ran = 0;
  const readRow = tool({
    name: "read_row",
    description: "Read a row",
    input: { type: "object" },
    execute() {
      ran += 1;
      return new Row();
    },
  });
  const executor = new Executor({ tools: [readRow] });
  const { tools, events, waits } = executor;
  const rig = {
    ...{ executor, tools, events, waits },
    call: executor.call.bind(executor),
    batch: executor.batch.bind(executor),
    close: async () => {},
  };
  const http = await serve(rig, { port: 0, console: false, mcp: false });
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(http.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return [response.status, await response.json()];
  };
  const shown = { isError: false, content: [{ type: "text", text: '{"id":7}' }] };
  expect(await post("/api/v1/calls", { name: "read_row" })).toMatchObject([200, shown]);
  const calls = [{ name: "read_row" }, { name: "read_row" }];
  expect(await post("/api/v1/calls/batch", { calls })).toMatchObject([200, { results: [shown, shown] }]);
  expect(ran).toBe(3);
  await http.close();
});
