import { createHash } from "node:crypto";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { Executor, type ExecutorOptions, type Guard, Registry } from "@toolrig/core";
import { afterEach, describe, expect, test } from "vitest";
import { type ConnectionOptions, connectMcp, type McpServerOptions, mcpServer } from "./index.ts";

/** A server that has one of everything, behind a rig that is served. */
const ASKING = fileURLToPath(new URL("../test/asking-server.ts", import.meta.url));
const RICH = fileURLToPath(new URL("../../../proofs/mcp-gateway/rich-server.ts", import.meta.url));

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function gateway(
  {
    server,
    executor: options,
  }: { server?: Partial<ConnectionOptions>; executor?: Partial<ExecutorOptions> } = {},
  serving: McpServerOptions = {},
) {
  const registry = new Registry();
  const executor = new Executor({ tools: registry, ...options });
  const mcp = connectMcp(
    { registry },
    { servers: { it: { command: process.execPath, args: [RICH], ...server } } },
  );
  const served = mcpServer({ executor, mcp }, serving);
  open.push(mcp, served);
  await mcp.ready;
  const clientWith = (token?: string, capabilities: ClientCapabilities = {}) => {
    const fetch = (at: URL | string, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      return served.fetch(new Request(at, { ...init, headers }));
    };
    return connected(
      new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }),
      "2026",
      capabilities,
    );
  };
  return { registry, executor, mcp, served, clientWith };
}

describe("sampling", () => {
  const messages = [{ role: "user", content: { type: "text", text: "Hel\u200blo" } }];
  const server = { args: [ASKING], era: "2026" } as const;
  const asks = async (client: Client, question: object) => {
    const { content, isError } = await client.callTool({ name: "it__model", arguments: { question } });
    return `${isError === true ? "failed: " : ""}${(content as { text: string }[])[0]?.text}`;
  };

  test("that a connection gives is answered by the client, without the context that the server wants", async () => {
    const { clientWith } = await gateway({ server: { ...server, give: ["sampling"] } });
    const client = await clientWith(undefined, { sampling: {} });
    const seen: unknown[] = [];
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
      const { _meta, ...asked } = params;
      seen.push(asked);
      return { role: "assistant", model: "m", content: { type: "text", text: "Hi" } };
    });
    const more = {
      maxTokens: 9_999_999,
      includeContext: "allServers",
      stopSequences: ["st\u202eop"],
    };
    expect(await asks(client, { messages, systemPrompt: "Be k\u202eind", ...more })).toContain('"text":"Hi"');
    const clean = [{ role: "user", content: { type: "text", text: "Hello" } }];
    const systemPrompt = 'The MCP server "it" asks this (its own words, not verified):\nBe kind';
    expect(seen).toEqual([{ messages: clean, systemPrompt, maxTokens: 100_000, stopSequences: ["stop"] }]);
    const large = [{ role: "user", content: { type: "text", text: "x".repeat(100_001) } }];
    expect(await asks(client, { messages: large })).toMatch(/failed: .*100000 characters/s);
    expect(await asks(client, {})).toMatch(/failed: /);
    expect(seen).toHaveLength(1);
  });

  test("that a connection does not give reaches no client", async () => {
    const { clientWith } = await gateway({ server: { ...server, give: ["roots"] } });
    const client = await clientWith(undefined, { sampling: {}, roots: {} });
    expect(await asks(client, { messages, maxTokens: 5 })).toMatch(/failed: .*(?:not given|do not declare)/s);
  });
});

async function connected(
  transport: Transport,
  era: "2025" | "2026",
  capabilities: ClientCapabilities = {},
): Promise<Client> {
  const mode = era === "2026" ? { pin: "2026-07-28" } : ("legacy" as const);
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
  await client.connect(transport);
  open.push(client);
  return client;
}

const DOC = "toolrig://mcp/it/rich://doc";
const linkIn = ({ content }: { content: unknown }) =>
  (content as { type: string; uri: string }[]).find(({ type }) => type === "resource_link")?.uri ?? "";

test("models are offered no tool that asks a server for a resource or a prompt", async () => {
  const { registry } = await gateway();
  expect(registry.get("it__resources.read")).toBeDefined();
  expect(registry.definitions().filter(({ name }) => name.includes("."))).toEqual([]);
});

test("reading a resource and getting a prompt are calls that guards judge and listeners hear of", async () => {
  const judged: unknown[] = [];
  const guard: Guard = {
    name: "no-docs",
    before({ tool, args, principal, source, provider }) {
      judged.push({ name: tool.name, principal: principal?.id, source, provider });
      const { uri } = args as { uri?: string };
      return uri === "rich://doc" ? { verdict: "deny", reason: "Not this one." } : undefined;
    },
  };
  const { clientWith, executor } = await gateway({ executor: { guards: [guard] } });
  const ended: string[] = [];
  executor.events.on((event) => void (event.type === "call.end" && ended.push(event.name)));
  const client = await clientWith();
  await client.readResource({ uri: "toolrig://mcp/it/rich://page/1" });
  await client.getPrompt({ name: "it__greet", arguments: { who: "Ada" } });
  await expect(client.readResource({ uri: DOC })).rejects.toThrow("Not this one.");
  const ref = { type: "ref/prompt", name: "it__greet" } as const;
  await client.complete({ ref, argument: { name: "who", value: "A" } });
  const names = ["resources.read", "prompts.get", "resources.read", "completion.complete"];
  const call = { principal: "mcp", source: "mcp", provider: "mcp:it" };
  expect(judged).toEqual(names.map((name) => ({ name: `it__${name}`, ...call })));
  expect(ended).toEqual(names.map((name) => `it__${name}`));
});

describe("a view", () => {
  const sha256 = (token: string) => createHash("sha256").update(token).digest("hex");
  const serving: McpServerOptions = {
    views: {
      all: {},
      one: { allow: ["provider:mcp:it/it__rich"] },
      none: { allow: ["other"] },
    },
    tokens: ["all", "one", "none"].map((view) => ({ sha256: sha256(view), view, principal: { id: view } })),
  };

  test("that may not use a server has nothing of it, and is not told that there is any", async () => {
    const { clientWith } = await gateway({}, serving);
    const client = await clientWith("none");
    expect(client.getInstructions()).toBeUndefined();
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    const nothing = "toolrig://mcp/nothing/rich://doc";
    const refusal = (uri: string) =>
      client.readResource({ uri }).then(String, ({ message }: Error) => message);
    expect(await refusal(DOC)).toBe((await refusal(nothing)).replace(nothing, DOC));
    const ref = { type: "ref/prompt", name: "it__greet" } as const;
    expect((await client.complete({ ref, argument: { name: "who", value: "A" } })).completion.values).toEqual(
      [],
    );
    const stream = await client.listen({ resourceSubscriptions: [DOC] });
    expect(stream.honoredFilter.resourceSubscriptions ?? []).toEqual([]);
  });

  test("of one tool has this tool alone, and its links stay the server's own", async () => {
    const { clientWith } = await gateway({}, serving);
    const client = await clientWith("one");
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect(linkIn(await client.callTool({ name: "it__rich", arguments: {} }))).toBe("rich://doc");
    await expect(client.readResource({ uri: DOC })).rejects.toThrow();
  });

  test("reads large bytes by a link that is good for nobody else", async () => {
    const views = { all: {}, other: {} };
    const tokens = ["all", "other"].map((view) => ({ sha256: sha256(view), view, principal: { id: view } }));
    const { clientWith } = await gateway({}, { views, tokens });
    const [client, other] = [await clientWith("all"), await clientWith("other")];
    const uri = linkIn(await client.callTool({ name: "it__large", arguments: {} }));
    const { contents } = await client.readResource({ uri });
    expect(contents[0]).toMatchObject({ mimeType: "application/pdf" });
    expect(Buffer.from((contents[0] as { blob: string }).blob, "base64")).toHaveLength(300_000);
    await expect(other.readResource({ uri })).rejects.toThrow();
    await expect(client.readResource({ uri: uri.replace("pdf", "xml") })).rejects.toThrow();
  });
});

test("a connection that carries nothing has tools alone", async () => {
  const { clientWith, registry } = await gateway({ server: { carry: [] } });
  const client = await clientWith();
  expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  expect(client.getInstructions()).toBeUndefined();
  expect((await client.listPrompts()).prompts).toEqual([]);
  expect((await client.listResources()).resources).toEqual([]);
  expect(registry.get("it__resources.read")).toBeUndefined();
  await expect(client.readResource({ uri: DOC })).rejects.toThrow();
});

test("what a server has is gone when its connection is, and there again with it", async () => {
  const { clientWith, mcp } = await gateway();
  const client = await clientWith();
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["it__greet"]);
  await mcp.disconnect("it");
  expect((await client.listPrompts()).prompts).toEqual([]);
  await expect(client.readResource({ uri: DOC })).rejects.toThrow();
  await mcp.connect("it");
  const { contents } = await client.readResource({ uri: DOC });
  expect(contents[0]).toMatchObject({ uri: DOC, text: "text of rich://doc" });
});

test.each(["2025", "2026"] as const)(
  "a client of %s over stdio hears of a resource that changes",
  async (era) => {
    const { served } = await gateway({ server: { era } });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const ended = served.stdio({ input, output });
    const client = await connected(lines(output, input), era);
    const came: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void came.push(params.uri),
    );
    if (era === "2026") await client.listen({ resourceSubscriptions: [DOC] });
    else await client.subscribeResource({ uri: DOC });
    await expect
      .poll(async () => {
        await client.callTool({ name: "it__touch", arguments: {} });
        return came.length;
      })
      .toBeGreaterThan(0);
    expect(new Set(came)).toEqual(new Set([DOC]));
    input.end();
    await ended;
  },
);

/** The client's end of a pair of streams. */
function lines(input: PassThrough, output: PassThrough): Transport {
  let rest = "";
  const transport: Transport = {
    async start() {
      input.setEncoding("utf8").on("data", (text: string) => {
        const parts = (rest + text).split("\n");
        rest = parts.pop() ?? "";
        for (const line of parts) transport.onmessage?.(JSON.parse(line));
      });
    },
    async send(message) {
      output.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      transport.onclose?.();
    },
  };
  return transport;
}
