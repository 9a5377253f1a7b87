import { fileURLToPath } from "node:url";
import { Client, type ElicitRequest, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Executor, Registry } from "@toolrig/core";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { connectMcp, mcpServer } from "./index.ts";

/** A client, a rig that is served, and a server behind it whose tools ask. */
const ASKING = fileURLToPath(new URL("../test/asking-server.ts", import.meta.url));

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** One connection serves all tests that need its like: a program takes its time to start. */
const rigs = new Map<string, ReturnType<typeof rigFor>>();
afterAll(async () => {
  for (const rig of rigs.values()) await (await rig).close();
});

async function rigFor(behind: "2025" | "2026", trust: "none" | "annotations") {
  const registry = new Registry();
  const executor = new Executor({ tools: registry });
  const mcp = connectMcp(
    { registry },
    { servers: { it: { command: process.execPath, args: [ASKING], era: behind, trust } } },
  );
  const served = mcpServer({ executor });
  await mcp.ready;
  expect(mcp.get("it").state).toBe("ready");
  const close = async () => {
    await served.close();
    await mcp.close();
  };
  return { served, close };
}

interface Answer {
  action: string;
  content?: Record<string, unknown>;
}

async function gateway(
  front: string,
  behind: "2025" | "2026",
  { trust = "none", url = false }: { trust?: "none" | "annotations"; url?: boolean } = {},
) {
  const rig = rigs.get(behind + trust) ?? rigFor(behind, trust);
  rigs.set(behind + trust, rig);
  const { served } = await rig;
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: { elicitation: { form: {}, ...(url && { url: {} }) } },
      versionNegotiation: { mode: front === "2026" ? { pin: "2026-07-28" } : "legacy" },
    },
  );
  const seen: ElicitRequest["params"][] = [];
  const answers: Answer[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    seen.push(params);
    return (answers.shift() ?? { action: "decline" }) as never;
  });
  const fetch = (at: URL | string, init?: RequestInit) => served.fetch(new Request(at, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }));
  open.push(client);
  const ask = async (question: unknown, given: Answer[], tool = "ask") => {
    answers.push(...given);
    const { content } = await client.callTool({ name: `it__${tool}`, arguments: { question } });
    return JSON.parse((content as { text: string }[])[0]?.text ?? "null") as unknown;
  };
  return { ask, seen, client };
}

const form = (properties: object, required: string[] = []) => ({
  message: "Tell me",
  requestedSchema: { type: "object", properties, required },
});

/** Every kind of field that a form of the protocol has, with an answer. */
const KINDS: readonly (readonly [what: string, field: object, value: unknown, shown?: object])[] = [
  ["text", { type: "string", title: "A text", minLength: 2, maxLength: 9 }, "abc"],
  ["an email", { type: "string", format: "email" }, "a@example.com"],
  ["an address", { type: "string", format: "uri" }, "https://example.com/"],
  ["a date", { type: "string", format: "date" }, "2026-01-31"],
  ["a time", { type: "string", format: "date-time" }, "2026-01-31T10:00:00Z"],
  ["a number", { type: "number", minimum: 0.5, maximum: 2 }, 1.5],
  ["a whole number", { type: "integer", minimum: 1, maximum: 3 }, 2],
  ["a flag", { type: "boolean", default: false }, true],
  ["a choice", { type: "string", enum: ["red", "blue"] }, "blue"],
  [
    "a choice with titles",
    {
      type: "string",
      oneOf: [
        { const: "r", title: "Red" },
        { const: "b", title: "Blue" },
      ],
    },
    "b",
  ],
  [
    "a choice with titles beside it",
    { type: "string", enum: ["r", "b"], enumNames: ["Red", "Blue"] },
    "r",
    {
      type: "string",
      oneOf: [
        { const: "r", title: "Red" },
        { const: "b", title: "Blue" },
      ],
    },
  ],
  [
    "several choices",
    { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, minItems: 1, maxItems: 2 },
    ["a", "c"],
  ],
  [
    "several choices with titles",
    {
      type: "array",
      items: {
        anyOf: [
          { const: "a", title: "A" },
          { const: "b", title: "B" },
        ],
      },
    },
    ["b"],
  ],
];

describe.each([
  ["2025", "2025"],
  ["2026", "2025"],
  ["2025", "2026"],
  ["2026", "2026"],
] as const)("a client of %s, a server of %s", (front, behind) => {
  test("what the server's schema has a default for is left to the server, and nothing else", async () => {
    const { client } = await gateway(front, behind);
    const shot = await client.callTool({ name: "it__shoot", arguments: { of: "page" } });
    expect(shot).toMatchObject({ content: [{ text: '{"scale":"css","of":"page"}' }] });
    const wrong = await client.callTool({ name: "it__shoot", arguments: { scale: "css" } });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("of") }] });
  });

  test("every kind of field is the same form at the client", async () => {
    const { ask, seen } = await gateway(front, behind);
    for (const [what, field, value, shown = field] of KINDS) {
      const told = await ask(form({ it: field }, ["it"]), [{ action: "accept", content: { it: value } }]);
      expect(told, what).toEqual({ action: "accept", content: { it: value } });
      expect(seen.at(-1), what).toMatchObject({ requestedSchema: { properties: { it: shown } } });
    }
    expect(seen).toHaveLength(KINDS.length);
  });

  test("an answer that does not fit is asked for again", async () => {
    for (const trust of ["none", "annotations"] as const) {
      const { ask, seen } = await gateway(front, behind, { trust });
      const question = form({ color: { type: "string", enum: ["red", "blue"] } }, ["color"]);
      const answers = ["green", 5, "blue"].map((color) => ({ action: "accept", content: { color } }));
      expect(await ask(question, answers)).toEqual({ action: "accept", content: { color: "blue" } });
      expect(seen).toHaveLength(3);
    }
  });

  test.each(["ask", "look"])("a server may ask in every call of %s, however often", async (tool) => {
    const { ask, seen } = await gateway(front, behind, { trust: "annotations" });
    for (let times = 1; times <= 5; times++) {
      const told = await ask(
        form({ n: { type: "integer" } }),
        [{ action: "accept", content: { n: times } }],
        tool,
      );
      expect(told).toEqual({ action: "accept", content: { n: times } });
      expect(seen).toHaveLength(times);
    }
  });

  test.each(["decline", "cancel"])("%s stays what it is", async (action) => {
    const { ask } = await gateway(front, behind);
    expect(await ask(form({ n: { type: "integer" } }), [{ action }])).toEqual({ action });
  });

  test("an address is asked to be opened as an address by a client that can, and confirmed by any other", async () => {
    const question = { mode: "url", message: "Sign in", url: "https://example.com/in", elicitationId: "e1" };
    const able = await gateway(front, behind, { url: true });
    expect(await able.ask(question, [{ action: "accept" }])).toEqual({ action: "accept" });
    expect(able.seen[0]).toMatchObject({ mode: "url", url: "https://example.com/in" });
    const other = await gateway(front, behind);
    const told = await other.ask(question, [{ action: "accept", content: { done: true } }]);
    expect(told).toEqual({ action: "accept" });
    expect(other.seen[0]?.message).toContain("https://example.com/in");
    expect(other.seen[0]).toMatchObject({ requestedSchema: { properties: { done: { type: "boolean" } } } });
  });
});
