import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  ApprovalQueue,
  deferred,
  Executor,
  MemoryCallStore,
  policyGuard,
  Registry,
  ToolrigError,
  tool,
} from "@toolrig/core";
import { afterEach, describe, expect, test } from "vitest";
import { mcpServer, type ServedMcp } from "./mcp-server.ts";
import type { McpServerOptions } from "./options.ts";

const any = { type: "object" } as const;
const READS = { sideEffects: "read", idempotent: true } as const;
const ran: unknown[] = [];

const tools = [
  tool({
    name: "add",
    description: "Add",
    input: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    safety: { sideEffects: "none", idempotent: true },
    execute: ({ a, b }) => ({ sum: (a as number) + (b as number) }),
  }),
  tool({
    name: "deploy",
    description: "Deploy",
    input: { type: "object", properties: { site: { type: "string" } } },
    approval: true,
    execute(args) {
      ran.push(args);
      return "deployed";
    },
  }),
  tool({
    name: "greet",
    description: "Greet",
    input: any,
    safety: READS,
    async execute(_, { ask }) {
      const answer = await ask({ message: "Your name?", schema: { type: "string", minLength: 2 } });
      return answer.status === "answered" ? `Hello, ${answer.value}!` : `no name: ${answer.status}`;
    },
  }),
  tool({ name: "list_all", description: "Much", input: any, safety: READS, execute: () => "x".repeat(900) }),
  tool({ name: "later", description: "Later", input: any, execute: () => deferred({ note: "a job runs" }) }),
  tool({
    name: "slow",
    description: "Slow",
    input: any,
    safety: READS,
    execute: (_, { signal, update }) =>
      new Promise<string>((resolve) => {
        update({ progress: 0.5, content: "half" });
        signal.addEventListener("abort", () => {
          ran.push("aborted");
          resolve("gone");
        });
      }),
  }),
];

function scene(options: McpServerOptions = {}) {
  const approvals = new ApprovalQueue();
  const store = new MemoryCallStore();
  const registry = new Registry(tools);
  const executor = new Executor({
    tools: registry,
    approve: approvals.approver,
    guards: [policyGuard({ profile: "open" })],
    store,
    maxContent: 200,
  });
  const served = mcpServer({ executor, approvals }, options);
  open.push(served);
  return { served, executor, approvals, store, registry };
}

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
  ran.length = 0;
});

type Era = "2026-07-28" | "2025-11-25";
const ERAS: readonly Era[] = ["2026-07-28", "2025-11-25"];

interface Answer {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean>;
}

async function clientOf(
  served: ServedMcp,
  era: Era,
  { answer, token, seen }: { answer?: (message: string) => Answer; token?: string; seen?: string[] } = {},
): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      seen?.push(params.message);
      return answer(params.message) as never;
    });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const fetch = (url: URL | string, init?: RequestInit) => served.fetch(new Request(url, init));
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch, requestInit: { headers } }),
  );
  open.push(client);
  return client;
}

const textOf = ({ content }: { content: unknown }) => (content as { text?: string }[])[0]?.text;

const relay = tool({
  name: "relay",
  description: "Call another",
  input: { type: "object", properties: { of: { type: "string" } } } as const,
  execute: async ({ of = "" }, { call }) => (await call(of, { site: "a" })).failure?.message ?? "it ran",
});

/** Says what it has changed and asks then: it is not started again, so its code waits in memory. */
const book = tool({
  name: "book",
  description: "Book",
  input: any,
  async execute(_, { effect, ask, signal }) {
    signal.addEventListener("abort", () => ran.push("aborted"));
    effect({ kind: "custom", target: "seat", action: "held" } as never);
    const first = await ask({ message: "Which seat?" });
    const second = await ask({ message: "Which meal?" });
    return [first, second].map((each) => (each.status === "answered" ? each.value : each.status)).join();
  },
});

describe.each(ERAS)("%s", (era) => {
  test("a call that waits in memory outlives the request that began it, and every question is answered", async () => {
    const { served, registry } = scene();
    registry.add(book);
    const seen: string[] = [];
    const answer = (message: string): Answer => ({ action: "accept", content: { answer: `to ${message}` } });
    const client = await clientOf(served, era, { seen, answer });
    const result = await client.callTool({ name: "book", arguments: {} });
    expect(seen).toEqual(["Which seat?", "Which meal?"]);
    expect(textOf(result)).toBe("to Which seat?,to Which meal?");
    expect(ran).toEqual([]);
  });

  test("what a view does not allow is not there for the tools that it allows, either", async () => {
    const { served, registry } = scene({ views: { narrow: { allow: ["relay", "add"] } } });
    registry.add(relay);
    const client = await clientOf(served, era);
    for (const of of ["list_all", "list_al"])
      expect(textOf(await client.callTool({ name: "relay", arguments: { of } }))).toBe(
        `There is no tool called "${of}". Available: add, relay.`,
      );
  });

  test("tools are listed in order, with schemas and annotations, and called with structured content", async () => {
    const client = await clientOf(scene().served, era);
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(["add", "deploy", "greet", "later", "list_all", "slow"]);
    expect(listed[0]).toMatchObject({
      outputSchema: { required: ["sum"] },
      annotations: { readOnlyHint: true },
    });
    const added = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
    expect(added).toMatchObject({ structuredContent: { sum: 3 } });
    const wrong = await client.callTool({ name: "add", arguments: { a: "x", b: 2 } });
    expect(wrong).toMatchObject({ isError: true, _meta: { "toolrig/failure": { kind: "validation" } } });
    await expect(client.callTool({ name: "ad" })).rejects.toThrow('no tool "ad": near it are add');
  });

  test("an approval is asked of the person at the client, and counts once", async () => {
    const { served, approvals } = scene({ views: { all: { approver: { id: "ada" } } } });
    const seen: string[] = [];
    const answers: Answer[] = [
      { action: "accept", content: { approve: true } },
      { action: "accept", content: { approve: false, reason: "not today" } },
      { action: "accept", content: { approve: false, reason: "" } },
      { action: "cancel" },
    ];
    const client = await clientOf(served, era, { answer: () => answers.shift() as Answer, seen });
    const call = { name: "deploy", arguments: { site: "docs\u202e" } };
    expect(textOf(await client.callTool(call))).toBe("deployed");
    expect(seen[0]).toContain('{"site":"docs\\u{202e}"}');
    expect(textOf(await client.callTool(call))).toContain("not today");
    expect(textOf(await client.callTool(call))).toContain("the person did not let it run");
    expect(textOf(await client.callTool(call))).toContain("waits for approval");
    expect(ran).toHaveLength(1);
    const decided = await approvals.store.list({});
    expect(decided.map(({ decision }) => decision?.decision)).toEqual([
      "approved",
      "denied",
      "denied",
      undefined,
    ]);
    expect(decided[0]?.decision).toMatchObject({ by: { id: "ada" } });
  });

  test.each([
    ["is not asked to answer for themselves", "ada", 0],
    ["whose answer does not count is not asked again", "ADA", 1],
  ])("somebody who %s, and the call waits", async (_, id, times) => {
    const { served, approvals } = scene({ views: { all: { principal: { id: "ada" }, approver: { id } } } });
    const seen: string[] = [];
    const answer = (): Answer => ({ action: "accept", content: { approve: true } });
    const client = await clientOf(served, era, { seen, answer });
    const waiting = await client.callTool({ name: "deploy", arguments: {} });
    expect(textOf(waiting)).toContain("waits for approval");
    expect(seen).toHaveLength(times);
    expect(await approvals.store.list({ open: true })).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  test("requests under way are answered when the server is closed, and later ones are refused", async () => {
    const { served, executor } = scene();
    const client = await clientOf(served, era);
    const begun = new Promise((resolve) => executor.events.watch("call.update", resolve));
    const called = client.callTool({ name: "slow", arguments: {} });
    await begun;
    await served.close();
    expect(textOf(await called)).toContain("TOOL_CANCELLED");
    expect(ran).toEqual(["aborted"]);
    await expect(client.listTools()).rejects.toThrow();
  });

  test("without somebody who may approve, the call waits for an answer from elsewhere and then runs", async () => {
    const { served, approvals } = scene();
    const client = await clientOf(served, era, {
      answer: () => ({ action: "accept", content: { approve: true } }),
    });
    const waiting = await client.callTool({ name: "deploy", arguments: {} });
    expect(textOf(waiting)).toContain("waits for approval");
    expect(ran).toEqual([]);
    const [asked] = await approvals.store.list({ open: true });
    await approvals.approve(asked?.pending.executionId ?? "", { by: { id: "ada" } });
    const link = (waiting.content as { type: string; uri: string }[]).find(
      ({ type }) => type === "resource_link",
    );
    await expect
      .poll(async () => {
        const { contents } = await client.readResource({ uri: link?.uri ?? "" });
        return (contents[0] as { text: string }).text;
      })
      .toBe("deployed");
    expect(ran).toHaveLength(1);
  });

  test("a question reaches the person, and an answer that does not fit is asked for again", async () => {
    const answers: Answer[] = [
      { action: "accept", content: { answer: "x" } },
      { action: "accept", content: { answer: "Ada" } },
      { action: "decline" },
    ];
    const client = await clientOf(scene().served, era, { answer: () => answers.shift() as Answer });
    expect(textOf(await client.callTool({ name: "greet" }))).toBe("Hello, Ada!");
    expect(textOf(await client.callTool({ name: "greet" }))).toBe("no name: declined");
  });

  test("a result that comes later is told as such, and read once it is there", async () => {
    const { served, executor } = scene();
    const client = await clientOf(served, era);
    const waiting = await client.callTool({ name: "later" });
    expect(textOf(waiting)).toContain("a job runs");
    const executionId = (waiting._meta as Record<string, string>)["toolrig/executionId"] ?? "";
    await executor.waits.complete(executionId, await executor.waits.token(executionId), "done");
    const link = (waiting.content as { uri: string }[])[1]?.uri ?? "";
    expect((await client.readResource({ uri: link })).contents).toMatchObject([{ text: "done" }]);
  });

  test("a result over the cap links to the whole, for whom it was made and nobody else", async () => {
    const tokens = ["one-token-of-ada", "one-token-of-bob"].map((token, index) => ({
      sha256: createHash("sha256").update(token).digest("hex"),
      principal: { id: index === 0 ? "ada" : "bob" },
    }));
    const { served } = scene({ tokens });
    const ada = await clientOf(served, era, { token: "one-token-of-ada" });
    const bob = await clientOf(served, era, { token: "one-token-of-bob" });
    const { content } = await ada.callTool({ name: "list_all" });
    const link = (content as { type: string; uri: string }[]).find(({ type }) => type === "resource_link");
    const uri = link?.uri ?? "";
    expect((await ada.readResource({ uri })).contents).toMatchObject([{ text: "x".repeat(900) }]);
    await expect(bob.readResource({ uri })).rejects.toThrow();
    await expect(ada.readResource({ uri: uri.replace(/art_\w/, "art_0") })).rejects.toThrow();
  });

  test("a view has its own tools; what it has not is not there and on record", async () => {
    const { served, store, executor } = scene({
      views: { few: { allow: ["add", "greet"], prompts: ["greet"], principal: { id: "few" } } },
    });
    const client = await clientOf(served, era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add"]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["greet"]);
    await expect(client.callTool({ name: "deploy" })).rejects.toThrow('no tool "deploy"');
    await executor.drain();
    expect(store.records()).toMatchObject([
      {
        name: "deploy",
        source: "mcp",
        principal: { id: "few" },
        result: { failure: { code: "TOOL_NOT_FOUND" } },
      },
    ]);
  });

  test("a search view offers a search and call_tool, and calls go to the tool itself", async () => {
    const search = (source: { tools(): readonly { name: string }[] }) =>
      tool({
        name: "find_tools",
        description: "Find",
        input: any,
        safety: READS,
        execute: () => source.tools().map(({ name }) => name),
      });
    const { served } = scene({ views: { all: { search, allow: ["add"] } } });
    const client = await clientOf(served, era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["call_tool", "find_tools"]);
    expect(textOf(await client.callTool({ name: "find_tools" }))).toBe('["add"]');
    const called = await client.callTool({
      name: "call_tool",
      arguments: { name: "add", arguments: { a: 1, b: 1 } },
    });
    expect(called.structuredContent).toEqual({ sum: 2 });
    await expect(client.callTool({ name: "call_tool", arguments: { name: "deploy" } })).rejects.toThrow(
      "no tool",
    );
  });

  test("progress is told, and giving up cancels the call", async () => {
    const client = await clientOf(scene().served, era);
    const abort = new AbortController();
    const told: unknown[] = [];
    const call = client.callTool(
      { name: "slow" },
      {
        signal: abort.signal,
        onprogress(progress) {
          told.push(progress);
          abort.abort();
        },
      },
    );
    await expect(call).rejects.toThrow();
    expect(told).toMatchObject([{ progress: 0.5, total: 1, message: "half" }]);
    await expect.poll(() => ran).toEqual(["aborted"]);
  });

  test("a client is told when there are other tools", async () => {
    const { served, registry } = scene();
    const client = await clientOf(served, era);
    let changed = 0;
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      changed += 1;
    });
    if (era === "2026-07-28") await client.listen({ toolsListChanged: true });
    registry.add(tool({ name: "new_one", description: "New", input: any, execute: () => 1 }));
    await expect.poll(() => changed).toBeGreaterThan(0);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("new_one");
  });
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};

function post(served: ServedMcp, method: string, params: object, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } });
  const name = (params as { name?: string }).name;
  return served.fetch(
    new Request("http://127.0.0.1/mcp", {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(name !== undefined && { "mcp-name": name }),
        ...headers,
      },
    }),
  );
}

describe("sealed state", () => {
  const approve = { approval: { action: "accept", content: { approve: true } } };

  test("is of one principal, tool and arguments; what is changed or forged is refused, and twice runs once", async () => {
    const { served } = scene({ views: { all: { approver: { id: "ada" } } } });
    const call = { name: "deploy", arguments: { site: "a" } };
    const asked = (await (await post(served, "tools/call", call)).json()) as {
      result: { requestState: string; inputRequests: object };
    };
    const { requestState } = asked.result;
    expect(Object.keys(asked.result.inputRequests)).toEqual(["approval"]);
    const refused = async (params: object) => {
      const { error } = (await (await post(served, "tools/call", params)).json()) as {
        error?: { code: number };
      };
      expect(error?.code).toBe(-32_602);
    };
    await refused({ ...call, requestState: `${requestState}x`, inputResponses: approve });
    await refused({ ...call, requestState: "t1.AAAA", inputResponses: approve });
    await refused({ name: "deploy", arguments: { site: "b" }, requestState, inputResponses: approve });
    await refused({ name: "greet", arguments: { site: "a" }, requestState, inputResponses: approve });
    const unsealed = (await (
      await post(served, "tools/call", { ...call, inputResponses: approve })
    ).json()) as {
      result: { resultType: string };
    };
    expect(unsealed.result.resultType).toBe("input_required");
    expect(ran).toEqual([]);
    for (let time = 0; time < 2; time++) {
      const done = await post(served, "tools/call", { ...call, requestState, inputResponses: approve });
      expect(await done.json()).toMatchObject({ result: { content: [{ text: "deployed" }] } });
    }
    expect(ran).toHaveLength(1);
  });
});

const callText = (name: string, args: string) =>
  `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{${name},"arguments":${args},"_meta":${JSON.stringify(META)}}}`;
const AMBIGUOUS = [
  ["an argument twice", callText('"name":"add"', '{"a":1,"a":1000000,"b":0}'), 'has "a" twice'],
  ["a name twice", callText('"name":"list_all","name":"add"', "{}"), 'has "name" twice'],
  [
    "a whole number that would become another",
    callText('"name":"add"', '{"a":9007199254740993,"b":0}'),
    "would become 9007199254740992. Send it as a string.",
  ],
].map(([name = "", line = "", says = ""]) => [name, line, expect.stringContaining(says)] as const);

describe("the gate", () => {
  const sha256 = createHash("sha256").update("a-token-of-somebody").digest("hex");

  test.each([
    ["another host", { host: "evil.example.com" }, 403],
    ["a host that only begins like ours", { host: "localhost.evil.example.com" }, 403],
    ["a page from elsewhere", { origin: "https://evil.example.com" }, 403],
    ["a page without origin", { origin: "null" }, 403],
    ["a page of this machine", { origin: "http://localhost:5173" }, 401],
    ["no token", {}, 401],
    ["a wrong token", { authorization: "Bearer another" }, 401],
    ["an empty token", { authorization: "Bearer " }, 401],
    ["the right token", { authorization: "Bearer a-token-of-somebody" }, 200],
  ] as const)("%s", async (_, headers, status) => {
    const { served } = scene({ tokens: [{ sha256 }] });
    expect((await post(served, "tools/list", {}, headers)).status).toBe(status);
  });

  test("what is too long, no JSON or of another type is refused before anything is served", async () => {
    const { served } = scene({ maxMessage: 2_000 });
    const send = (body: BodyInit, type = "application/json") =>
      served.fetch(
        new Request("http://127.0.0.1/mcp", { method: "POST", body, headers: { "content-type": type } }),
      );
    expect((await send("x".repeat(3_000))).status).toBe(413);
    expect((await send("{")).status).toBe(400);
    expect((await send(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400);
    expect((await send("{}", "text/plain")).status).toBe(415);
    expect((await served.fetch(new Request("http://127.0.0.1/mcp", { method: "PUT" }))).status).toBe(405);
  });

  test.each(AMBIGUOUS)("%s is refused under its id, and nothing runs", async (_, line, says) => {
    const { served } = scene();
    const response = await served.fetch(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        body: line,
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      }),
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: 9, error: { code: -32_600, message: says } });
  });

  test("sessions are somebody's own, bounded, and end when they are not used", async () => {
    const tokens = ["token-of-ada-1234", "token-of-bob-1234"].map((token) => ({
      sha256: createHash("sha256").update(token).digest("hex"),
      principal: { id: token },
    }));
    const { served } = scene({ tokens, maxSessions: 2, sessionIdle: "400ms" });
    const begin = async (token: string) => {
      const params = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      };
      const response = await served.fetch(
        new Request("http://127.0.0.1/mcp", {
          method: "POST",
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
          headers: headersOf(token),
        }),
      );
      await response.text();
      return response.headers.get("mcp-session-id") ?? "";
    };
    const headersOf = (token: string) => ({
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    });
    const ping = async (token: string, session: string) => {
      const response = await served.fetch(
        new Request("http://127.0.0.1/mcp", {
          method: "POST",
          body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" }),
          headers: { ...headersOf(token), "mcp-session-id": session },
        }),
      );
      await response.text();
      return response.status;
    };
    const first = await begin("token-of-ada-1234");
    expect(await ping("token-of-ada-1234", first)).toBe(200);
    expect(await ping("token-of-bob-1234", first)).toBe(404);
    await begin("token-of-ada-1234");
    const third = await begin("token-of-bob-1234");
    expect(await ping("token-of-ada-1234", first)).toBe(404);
    expect(third).not.toBe("");
    await expect.poll(() => ping("token-of-ada-1234", third), { interval: 600 }).toBe(404);
  });
});

/** A server on a pair of streams, and the messages that it has written. */
function lineScene() {
  const { served } = scene({ maxMessage: 5_000 });
  const input = new PassThrough();
  const output = new PassThrough();
  const over = served.stdio({ input, output });
  const lines: { id: unknown; error?: { code: number }; result?: unknown }[] = [];
  let rest = "";
  output.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((line) => JSON.parse(line) as (typeof lines)[0]));
  });
  return { input, lines, over };
}

describe("stdio", () => {
  test.each(AMBIGUOUS)("%s is refused under its id, and nothing runs", async (_, line, says) => {
    const { input, lines, over } = lineScene();
    input.write(`${line}\n`);
    await expect.poll(() => lines.length).toBe(1);
    expect(lines[0]).toMatchObject({ id: 9, error: { code: -32_600, message: says } });
    input.end();
    await over;
  });

  test("what cannot be read is answered and passed over, and the end of the input is the end", async () => {
    const { input, lines, over } = lineScene();
    input.write(`${"x".repeat(20_000)}\n`);
    input.write(
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from('"}\n'),
      ]),
    );
    input.write("not json\n[]\n\n");
    const list = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list", params: { _meta: META } });
    input.write(list.slice(0, 20));
    input.write(`${list.slice(20)}\n`);
    await expect.poll(() => lines.length).toBe(5);
    expect(lines.map(({ error }) => error?.code)).toEqual([-32_600, -32_700, -32_700, -32_600, undefined]);
    expect(lines[4]).toMatchObject({ id: 7, result: { tools: [{ name: "add" }, {}, {}, {}, {}, {}] } });
    input.end();
    await over;
  });
});

test("misspelt and wrong options are refused, naming them", () => {
  const { executor } = scene();
  const refused = (options: object) => {
    try {
      mcpServer({ executor }, options);
    } catch (error) {
      return ToolrigError.isInstance(error) ? error.message : error;
    }
    return "nothing";
  };
  expect(refused({ veiws: {} })).toContain("veiws");
  expect(refused({ views: { a: { alow: [] } } })).toContain("alow");
  for (const views of [{}, { a: undefined }, { a: null }]) expect(refused({ views })).toContain("views");
  expect(refused({ view: "b" })).toContain("view");
  expect(refused({ tokens: [] })).toContain("tokens");
  expect(refused({ tokens: [{ sha256: "abc" }] })).toContain("sha256");
  expect(refused({ secret: "short" })).toContain("secret");
  expect(refused({ secret: 5 })).toContain("secret");
  for (const hosts of [[], ["x:80"], ["http://x"], ["a b"], "x"])
    expect(refused({ hosts })).toContain("hosts");
  for (const origins of [["*"], ["x"], ["https://a/b"], ["https://*.a"]])
    expect(refused({ origins })).toContain("origins[0]");
  const token = { sha256: "a".repeat(64) };
  expect(refused({ tokens: [token, { sha256: "A".repeat(64) }] })).toContain("tokens[1].sha256");
  for (const tokens of [{}, "abc", [5]]) expect(refused({ tokens })).toContain("tokens");
  expect(refused({ views: { a: { approver: { id: "" } } } })).toContain("approver");
  expect(refused({ views: { a: { resources: {} } } })).toContain("resources");
  const resource = { uri: "a:b", tool: "add", name: 5 };
  expect(refused({ views: { a: { resources: [resource] } } })).toContain("resources[0].name");
  expect(refused({ hosts: ["[::1]", "Tools.Example.com"], origins: ["https://a.example:8443"] })).toBe(
    "nothing",
  );
  expect(() => mcpServer({} as never)).toThrow("rig.executor");
});

describe("a session before 2026-07-28", () => {
  async function session(served: ServedMcp) {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const send = (body: object) =>
      served.fetch(
        new Request("http://127.0.0.1/mcp", { method: "POST", headers, body: JSON.stringify(body) }),
      );
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const begun = await send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    headers["mcp-session-id"] = begun.headers.get("mcp-session-id") ?? "";
    await begun.text();
    await send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return send;
  }
  const slow = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "slow" } });
  const cancelled = (requestId: number) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId },
  });

  test("a second request with the id of one under way is refused, and the first goes on", async () => {
    const { served } = scene();
    const send = await session(served);
    const first = await send(slow(7));
    const second = await send(slow(7));
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ id: 7, error: { code: -32_600 } });
    const together = await send([slow(8), slow(8)]);
    expect(together.status).toBe(400);
    await served.close();
    expect(await first.text()).toContain("TOOL_CANCELLED");
  });

  test("the stream of a request that was cancelled ends, and its id can be used again", async () => {
    const send = await session(scene().served);
    for (let times = 1; times <= 2; times++) {
      const stream = await send(slow(7));
      await send(cancelled(7));
      expect(await stream.text()).not.toContain("result");
    }
  });
});

test("a Host that is none, two of them and targets that are no paths are refused as such", async () => {
  const { served } = scene();
  const server = createServer((request, response) => void served.node(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const said = async (start: string, ...hosts: string[]) => {
    const socket = connect(port, "127.0.0.1");
    const lines = [`${start} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), "Connection: close"];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    return Number((await text(socket)).split(" ")[1]);
  };
  try {
    expect(await said("PUT /mcp", `localhost:${port}`)).toBe(405);
    expect(await said("PUT /mcp", "evil.example")).toBe(403);
    for (const host of [
      "localhost#evil.example",
      "evil@localhost",
      "localhost:99999999",
      "localhost/x",
      "a b",
    ])
      expect([host, await said("PUT /mcp", host)]).toEqual([host, 400]);
    expect(await said("PUT /mcp", "localhost", "evil.example")).toBe(400);
    expect(await said("PUT http://localhost/mcp", "localhost")).toBe(400);
    expect(await said("TRACE /mcp", "localhost")).toBe(400);
  } finally {
    server.close();
  }
});
