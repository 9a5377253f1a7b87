/** A handler of hono that does nothing but validate with Ajv and answer, as people would write it. */
import { serve } from "@hono/node-server";
import { Ajv } from "ajv";
import { Hono } from "hono";
import { INPUT } from "./trivial.ts";

const validate = new Ajv().compile({
  type: "object",
  properties: { name: { type: "string" }, arguments: INPUT },
  required: ["name", "arguments"],
});
const app = new Hono();
app.post("/api/v1/calls", async (c) => {
  const body = (await c.req.json()) as { arguments: { a: number; b: number } };
  if (!validate(body)) return c.json({ issues: validate.errors }, 422);
  return c.json({ value: body.arguments.a + body.arguments.b });
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => process.send?.({ port }));
process.on("message", (said) => said === "stop" && process.send?.({ records: 0, recordsDropped: 0 }));
process.on("disconnect", () => process.exit());
