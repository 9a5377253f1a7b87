import { PassThrough } from "node:stream";
import { Executor, Registry, tool } from "@toolrig/core";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../../../../scripts/until.ts";
import { askModel } from "../wire/client-question.ts";
import { mcpServer, type ServedMcp } from "./mcp-server.ts";

const SAFETY = { sideEffects: "read", idempotent: true } as const;
const any = { type: "object" } as const;
const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Sum?" } }];
const tools = [
  tool({
    name: "echo",
    description: "Say it",
    input: any,
    output: any,
    safety: SAFETY,
    execute: (args) => args,
  }),
  tool({
    name: "ask",
    description: "Ask",
    input: any,
    safety: SAFETY,
    async execute(_, { ask }) {
      const answer = await ask({ message: "Name?", schema: { type: "string" } });
      return answer.status === "answered" ? `Hello, ${answer.value}` : answer.status;
    },
  }),
  tool({
    name: "sample",
    description: "Ask the model of the client",
    input: any,
    safety: SAFETY,
    async execute(args, { ask }) {
      const more = (args as { tools?: boolean }).tools
        ? { tools: [{ name: "add", inputSchema: { type: "object" as const } }] }
        : {};
      const answer = await ask(askModel({ messages, maxTokens: 10, ...more }));
      return answer.status;
    },
  }),
];

interface Told {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}
type Message = Record<string, unknown>;

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const META = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };
/** Of a client before 2026-07-28. */
const NONE = {};
const ERAS = [
  ["2026-07-28", META],
  ["2025-11-25", NONE],
] as const;

let id = 0;
function request(method: string, params: object, meta: object = META): Message {
  id += 1;
  return { jsonrpc: "2.0", id, method, params: meta === NONE ? params : { ...params, _meta: meta } };
}

const open: ServedMcp[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

function serve() {
  const executor = new Executor({ tools: new Registry(tools) });
  const served = mcpServer(
    { executor },
    { views: { default: { prompts: ["echo"], resources: [{ uri: "said://all", tool: "echo" }] } } },
  );
  open.push(served);
  return served;
}

/** A client that answers what it is asked by `answer`. */
function overStdio(answer: (asked: Told) => object = () => ({})) {
  const input = new PassThrough();
  const output = new PassThrough();
  const told: Told[] = [];
  const write = (message: Message) => input.write(`${JSON.stringify(message)}\n`);
  let rest = "";
  output.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const message of lines.map((line) => JSON.parse(line) as Told)) {
      told.push(message);
      if (message.method !== undefined && message.id !== undefined)
        write({ jsonrpc: "2.0", id: message.id, ...answer(message) });
    }
  });
  void serve().stdio({ input, output });
  const send = async (message: Message): Promise<Told> => {
    write(message);
    const isAnswer = (each: Told) => each.id === message.id && each.method === undefined;
    await until(() => told.some(isAnswer));
    return told.find(isAnswer)!;
  };
  const initialize = (capabilities: object) =>
    send(
      request(
        "initialize",
        { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "1" } },
        NONE,
      ),
    );
  return { send, initialize, told };
}

function post(message: Message): Promise<Response> {
  const { method, params } = message as { method: string; params: { name?: string } };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(params.name !== undefined && { "mcp-name": params.name }),
  };
  const body = JSON.stringify(message);
  return serve().fetch(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }));
}

/** Without what differs from call to call. */
function plain(told: unknown): unknown {
  const text = JSON.stringify(told).replace(/"toolrig\/executionId":"[^"]+"/, '"toolrig/executionId":""');
  const { id: _, ...rest } = JSON.parse(text);
  return rest;
}

describe.each(ERAS)("%s", (_, meta) => {
  test("a call that the SDK reads is answered as one that it does not see", async () => {
    const { send } = overStdio();
    const call = (name: string, more: object = {}) =>
      send(request("tools/call", { name, arguments: { text: "é" }, ...more }, meta));
    await call("echo");
    for (const name of ["echo", "nothing"])
      expect(plain(await call(name))).toEqual(plain(await call(name, { unknown: true })));
  });

  test("params that are wrong are refused as such, whatever was called before", async () => {
    const { send } = overStdio();
    await send(request("tools/call", { name: "echo" }, meta));
    const wrong = [
      ["tools/call", { name: 7 }],
      ["tools/call", { name: "echo", arguments: [] }],
      ["tools/call", { name: "echo", arguments: "text", unknown: true }],
      ["prompts/get", { name: "echo", arguments: { text: 7 } }],
      ["prompts/get", {}],
      ["resources/read", { uri: 7 }],
      ["resources/read", { uri: "said://all", requestState: "forged" }],
      ["tools/call", { name: "echo", requestState: { forged: true } }],
    ] as const;
    for (const [method, params] of wrong)
      expect(await send(request(method, params, meta)), JSON.stringify(params)).toMatchObject({
        error: { code: -32_602 },
      });
  });

  test("prompts and resources are served by the same path", async () => {
    const { send } = overStdio();
    const prompt = await send(request("prompts/get", { name: "echo", arguments: { a: "b" } }, meta));
    expect(prompt.result).toMatchObject({ messages: [{ content: { text: '{"a":"b"}' } }] });
    const resource = await send(request("resources/read", { uri: "said://all" }, meta));
    expect(resource.result).toMatchObject({ contents: [{ uri: "said://all", text: "{}" }] });
  });

  test("a method that is not there is not found", async () => {
    const { send } = overStdio();
    await send(request("tools/call", { name: "echo" }, meta));
    expect(await send(request("tools/missing", {}, meta))).toMatchObject({ error: { code: -32_601 } });
  });
});

test("a method that is not there is not found over HTTP, by status as well", async () => {
  const response = await post(request("tools/missing", {}));
  expect([response.status, await response.json()]).toMatchObject([404, { error: { code: -32_601 } }]);
  expect((await post(request("tools/call", { name: "echo", arguments: {} }))).status).toBe(200);
});

describe("a client before 2026-07-28", () => {
  const accept = { result: { action: "accept", content: { answer: "Ada" } } };

  test("is asked within its request, by the first call and by those after", async () => {
    const { send, initialize } = overStdio(() => accept);
    await initialize({ elicitation: {} });
    for (let time = 0; time < 3; time++) {
      const { result } = await send(request("tools/call", { name: "ask", arguments: {} }, NONE));
      expect(result).toMatchObject({ content: [{ text: "Hello, Ada" }] });
    }
  });

  test("is told that asking it has failed, when it answers a question with an error", async () => {
    const { send, initialize } = overStdio(() => ({ error: { code: -32_000, message: "nobody is here" } }));
    await initialize({ elicitation: { form: {} } });
    const { result } = await send(request("tools/call", { name: "ask", arguments: {} }, NONE));
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("nobody is here") }],
    });
  });

  test("can do what it said at initialize, not what an envelope of its making says", async () => {
    const { send, initialize, told } = overStdio(() => accept);
    await initialize({ elicitation: {} });
    const meta = { ...META, [CAPABILITIES]: {} };
    const { result } = await send(request("tools/call", { name: "ask", arguments: {} }, meta));
    expect(result).toMatchObject({ content: [{ text: "Hello, Ada" }] });
    expect(told).toContainEqual(expect.objectContaining({ method: "elicitation/create" }));
  });
});

test("a model that is to use tools is asked only of a client that says it can do that", async () => {
  const { send } = overStdio();
  const call = (args: object, sampling: object) =>
    send(
      request("tools/call", { name: "sample", arguments: args }, { ...META, [CAPABILITIES]: { sampling } }),
    );
  expect((await call({}, {})).result).toMatchObject({ resultType: "input_required" });
  expect((await call({ tools: true }, { tools: {} })).result).toMatchObject({ resultType: "input_required" });
  expect((await call({ tools: true }, {})).error).toMatchObject({
    data: { requiredCapabilities: { sampling: { tools: {} } } },
  });
});
