import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { JsonSchema } from "@toolrig/core";
import { validatorFor } from "@toolrig/core/kit";
import createClient from "openapi-fetch";
import openapiTS, { astToString } from "openapi-typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { paths } from "../../test/generated-client.ts";
import { type Served, served } from "../../test/served.ts";

const GENERATED = join(import.meta.dirname, "../../test/generated-client.ts");

interface Document {
  openapi: string;
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }> }>
  >;
  components: { schemas: Record<string, JsonSchema> };
}

let server: Served;
let document: Document;
beforeAll(async () => {
  server = await served({
    script: [{ calls: [{ name: "add", arguments: { a: 1, b: 1 } }] }, { text: "two" }],
    policy: { profile: "standard" },
  });
  document = (await server.ask("/api/v1/openapi.json")).body;
});
afterAll(() => server.end());

test("a validator that somebody else wrote takes the document", async () => {
  expect(document.openapi).toBe("3.1.0");
  expect(await new Validator().validate(document as never)).toMatchObject({ valid: true });
});

test("the client that is generated from it is the one that is checked in", async () => {
  const text = `// Generated from the OpenAPI document by a test. UPDATE_CLIENT=1 writes it anew.\n${astToString(await openapiTS(document as never))}`;
  if (process.env.UPDATE_CLIENT === "1") writeFileSync(GENERATED, text);
  expect(readFileSync(GENERATED, "utf8")).toBe(text);
});

test("the generated client calls tools, reads records and is told of problems", async () => {
  const client = createClient<paths>({ baseUrl: server.url });
  const called = await client.POST("/api/v1/calls", { body: { name: "add", arguments: { a: 2, b: 2 } } });
  expect(called.response.status).toBe(200);
  expect(called.data).toMatchObject({ value: 4, isError: false });
  const tools = await client.GET("/api/v1/tools", { params: { query: { q: "mail" } } });
  expect(tools.data?.items.map(({ name }) => name)).toEqual(["send_mail"]);
  const missing = await client.GET("/api/v1/calls/{executionId}", {
    params: { path: { executionId: "nothing" } },
  });
  expect(missing.error?.code).toBe("NOT_FOUND");
  // @ts-expect-error the document says that a call has a name
  const wrong = await client.POST("/api/v1/calls", { body: { arguments: {} } });
  expect(wrong.error?.issues?.[0]?.path).toBe("/name");
});

test("what is answered is what the document says", async () => {
  const { ask } = server;
  await ask("/api/v1/calls", { method: "POST", body: { name: "fail" } });
  const waiting = await ask("/api/v1/calls", {
    method: "POST",
    body: { name: "send_mail", arguments: { to: "ann" } },
  });
  const run = await ask("/api/v1/runs", { method: "POST", body: { input: "Add" } });
  const { runId } = run.body;
  await expect.poll(async () => (await ask(`/api/v1/runs/${runId}`)).body.line?.state).toBe("answered");
  await expect.poll(() => server.store.records.query({ tool: "fail" }).records.length).toBe(1);
  const [failed] = server.store.records.query({ tool: "fail" }).records;
  const asked: [method: string, path: string, declared: string, body?: unknown][] = [
    ["get", "/api/v1/server", "/api/v1/server"],
    ["get", "/api/v1/tools", "/api/v1/tools"],
    ["get", "/api/v1/tools/add", "/api/v1/tools/{name}"],
    ["get", "/api/v1/calls", "/api/v1/calls"],
    ["post", "/api/v1/calls", "/api/v1/calls", { name: "add", arguments: { a: 1, b: 1 } }],
    ["post", "/api/v1/calls", "/api/v1/calls", { name: "send_mail", arguments: { to: "bob" } }],
    ["post", "/api/v1/calls/batch", "/api/v1/calls/batch", { calls: [{ name: "fail" }] }],
    ["get", `/api/v1/calls/${failed?.executionId}`, "/api/v1/calls/{executionId}"],
    ["get", `/api/v1/calls/${failed?.executionId}/story`, "/api/v1/calls/{executionId}/story"],
    ["get", `/api/v1/calls/${waiting.body.executionId}/story`, "/api/v1/calls/{executionId}/story"],
    ["get", "/api/v1/runs", "/api/v1/runs"],
    ["get", `/api/v1/runs/${runId}`, "/api/v1/runs/{runId}"],
    ["get", "/api/v1/inbox", "/api/v1/inbox"],
    ["get", "/api/v1/records", "/api/v1/records"],
    ["get", "/api/v1/records/verify", "/api/v1/records/verify"],
    ["get", "/api/v1/failures", "/api/v1/failures"],
    ["get", "/api/v1/fleet", "/api/v1/fleet"],
    ["post", "/api/v1/policy/explain", "/api/v1/policy/explain", { tool: "pay", args: { amount: 1 } }],
    ["get", "/api/v1/nowhere", "/api/v1/server"],
  ];
  for (const [method, path, declared, body] of asked) {
    const answer = await ask(path, { method: method.toUpperCase(), ...(body !== undefined && { body }) });
    const { responses } = document.paths[declared]?.[method] ?? { responses: {} };
    const { content = {} } = responses[answer.status] ?? responses.default ?? {};
    const schema = Object.values(content)[0]?.schema;
    expect(schema, `${path} ${answer.status}`).toBeDefined();
    expect(validatorFor(whole(schema ?? {})).issues(answer.body), `${method} ${path}`).toEqual([]);
  }
});

/** A schema with all that it refers to, which stands among the components of the document. */
function whole(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
  return JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")) as JsonSchema;
}
