import { PassThrough } from "node:stream";
import { Executor, MemoryCallStore, tool } from "@toolrig/core";
import { afterEach, describe, expect, test } from "vitest";
import { mcpServer, type ServedMcp } from "./mcp-server.ts";

const SAFETY = { sideEffects: "read", idempotent: true } as const;
const any = { type: "object" } as const;
const started: string[] = [];
const cancelled: string[] = [];
class Row {
  #reads: number;
  constructor(reads: number) {
    this.#reads = reads;
  }
  toJSON() {
    this.#reads -= 1;
    if (this.#reads < 0) throw new Error("connection closed");
    return { a: 1 };
  }
}

const tools = [
  tool({ name: "echo", description: "Say it", input: any, safety: SAFETY, execute: (args) => args }),
  tool({
    name: "hold",
    description: "Wait",
    input: any,
    safety: SAFETY,
    execute: (_, { signal, update }) =>
      new Promise<string>((resolve) => {
        started.push("hold");
        update({ progress: 0.5, content: "half" });
        signal.addEventListener("abort", () => {
          cancelled.push("hold");
          resolve("gone");
        });
      }),
  }),
  tool({
    name: "row",
    description: "A row that can be read so often",
    input: any,
    output: any,
    safety: SAFETY,
    execute: (args) => new Row((args as { reads?: number }).reads ?? 0),
  }),
  tool({
    name: "tell",
    description: "Tell",
    input: any,
    safety: SAFETY,
    execute(_, { update }) {
      update({ progress: 0.5, content: "half" });
      return "told";
    },
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
];

interface Told {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}
type Message = Record<string, unknown>;

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const META = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };

let id = 0;
function call(name: string, args: unknown = {}, more: object = {}, meta: object = META): Message {
  id += 1;
  return {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args, _meta: meta, ...more },
  };
}

const open: ServedMcp[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  started.length = 0;
  cancelled.length = 0;
});

function serve() {
  const store = new MemoryCallStore();
  const executor = new Executor({ tools, store });
  const served = mcpServer({ executor });
  open.push(served);
  return { served, store };
}

function overStdio(served: ServedMcp) {
  const input = new PassThrough();
  const output = new PassThrough();
  const told: Told[] = [];
  let rest = "";
  output.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) told.push(JSON.parse(line));
  });
  const ended = served.stdio({ input, output });
  const write = (...messages: Message[]) =>
    input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const answerTo = async (message: Message) => {
    const answer = () => told.find((each) => each.id === message.id);
    await expect.poll(answer).toBeDefined();
    return answer()!;
  };
  const send = (message: Message) => {
    write(message);
    return answerTo(message);
  };
  return { input, told, write, answerTo, send, end: () => input.end(), ended };
}

async function post(
  served: ServedMcp,
  message: Message,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
) {
  const { name } = message.params as { name: string };
  const request = new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
      ...headers,
    },
    body: JSON.stringify(message),
    ...(signal !== undefined && { signal }),
  });
  const response = await served.fetch(request);
  const text = await response.text();
  return { status: response.status, type: response.headers.get("content-type"), text };
}

/** Without what is another at every call. */
function plain(text: string): unknown {
  const { id: _, ...told } = JSON.parse(
    text.replace(/"toolrig\/executionId":"[^"]+"/, '"toolrig/executionId":""'),
  );
  return told;
}

describe("over stdio, after a call of its like", () => {
  test.each([
    ["2026-07-28", META],
    ["2025-11-25", {}],
  ] as const)("%s: an answer stays the same", async (_, meta) => {
    const { served, store } = serve();
    const { send } = overStdio(served);
    const answers: unknown[] = [];
    for (const name of ["echo", "echo", "nothing", "nothing"])
      answers.push(plain(JSON.stringify(await send(call(name, { text: "a" }, {}, meta)))));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toHaveProperty("result");
    expect(answers[3]).toEqual(answers[2]);
    expect(answers[2]).toMatchObject({ error: { message: expect.stringContaining("There is no tool") } });
    await expect.poll(() => store.records()).toHaveLength(4);
  });

  test("calls whose _meta is deeper than the stack are refused, again and again", async () => {
    const { input, answerTo } = overStdio(serve().served);
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    for (let time = 0; time < 3; time++) {
      const message = call("echo", { n: 2 }, {}, { ...META, "example.org/deep": "HERE" });
      input.write(`${JSON.stringify(message).replace('"HERE"', deep)}\n`);
      expect((await answerTo(message)).error).toMatchObject({ code: -32_600 });
    }
  });

  test("what the SDK would refuse is refused still", async () => {
    const { send } = overStdio(serve().served);
    expect((await send(call("echo"))).result).toBeDefined();
    const refused = [
      call("echo", {}, {}, { ...META, [VERSION]: 7 }),
      call("echo", {}, {}, { [VERSION]: "2026-07-28" }),
      call("echo", {}, { _meta: undefined }),
      call("echo", "no object"),
      call("echo", {}, { requestState: "forged" }),
    ];
    for (const message of refused) expect((await send(message)).error, JSON.stringify(message)).toBeDefined();
  });

  test("a call is cancelled, and not answered", async () => {
    const { send, write, told } = overStdio(serve().served);
    await send(call("echo"));
    const held = call("hold");
    write(held);
    await expect.poll(() => started).toHaveLength(1);
    write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: held.id } });
    await expect.poll(() => cancelled).toEqual(["hold"]);
    await send(call("echo"));
    expect(told.some((each) => each.id === held.id)).toBe(false);
  });

  test("the end of the input cancels what runs", async () => {
    const { send, write, end, ended } = overStdio(serve().served);
    await send(call("echo"));
    write(call("hold"));
    await expect.poll(() => started).toHaveLength(1);
    end();
    await ended;
    await expect.poll(() => cancelled).toEqual(["hold"]);
  });

  test("what can be read only so often is answered, and ends nothing", async () => {
    const { send } = overStdio(serve().served);
    await send(call("echo"));
    for (let reads = 0; reads <= 6; reads++) {
      const { result, error } = (await send(call("row", { reads }))) as { result?: object; error?: object };
      expect(result ?? error).toBeDefined();
    }
  });

  test("a progress token that is used again gets progress again", async () => {
    const { send, told } = overStdio(serve().served);
    for (let nth = 1; nth <= 3; nth++) {
      await send(call("tell", {}, {}, { ...META, progressToken: "p" }));
      const isProgress = (each: Told) => (each as Message).method === "notifications/progress";
      expect(told.filter(isProgress)).toHaveLength(nth);
    }
  });

  test("progress is told to whoever asks for it, and questions to whoever can answer", async () => {
    const { send, write, told } = overStdio(serve().served);
    await send(call("echo"));
    write(call("hold", {}, {}, { ...META, progressToken: "p" }));
    await expect
      .poll(() => told)
      .toContainEqual(expect.objectContaining({ method: "notifications/progress" }));
    const able = { ...META, [CAPABILITIES]: { elicitation: { form: {} } } };
    await send(call("echo", {}, {}, able));
    const asked = await send(call("ask", {}, {}, able));
    expect(asked.result).toMatchObject({ resultType: "input_required" });
    const { requestState, inputRequests } = asked.result as { requestState: string; inputRequests: object };
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: "accept", content: { answer: "Ada" } }]),
    );
    const done = await send(call("ask", {}, { requestState, inputResponses }, able));
    expect(JSON.stringify(done)).toContain("Hello, Ada");
  });
});

describe("over HTTP, after a call of its like", () => {
  test("an answer stays the same", async () => {
    const { served } = serve();
    const [first, second] = [
      await post(served, call("echo", { text: "é" })),
      await post(served, call("echo", { text: "é" })),
    ];
    expect({ ...second, text: plain(second.text) }).toEqual({ ...first, text: plain(first.text) });
    expect(first).toMatchObject({ status: 200, type: "application/json" });
    const unknown = [await post(served, call("nothing")), await post(served, call("nothing"))];
    expect(plain(unknown[1]?.text ?? "")).toEqual(plain(unknown[0]?.text ?? ""));
  });

  test("what can be read only so often is answered, the first time and after", async () => {
    for (let reads = 0; reads <= 6; reads++) {
      const { served } = serve();
      for (const turn of ["first", "after"]) {
        const { status, text } = await post(served, call("row", { reads }), {}, AbortSignal.timeout(10_000));
        expect([reads, turn, status], text).toEqual([reads, turn, 200]);
      }
    }
  });

  test("what the SDK would refuse is refused still", async () => {
    const { served } = serve();
    expect((await post(served, call("echo"))).status).toBe(200);
    const refused = await Promise.all([
      post(served, call("echo"), { "mcp-name": "hold" }),
      post(served, call("echo"), { "mcp-method": "tools/list" }),
      post(served, call("echo"), { "mcp-protocol-version": "2025-11-25" }),
      post(served, call("echo", {}, {}, { ...META, [VERSION]: "2020-01-01" })),
      post(served, call("echo", {}, {}, { [VERSION]: "2026-07-28" })),
      post(served, { ...call("echo"), jsonrpc: "1.0" }),
    ]);
    for (const { status, text } of refused) expect(status, text).toBe(400);
  });

  test("progress comes as a stream", async () => {
    const { served } = serve();
    await post(served, call("echo"));
    const controller = new AbortController();
    const streamed = served.fetch(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "hold",
        },
        body: JSON.stringify(call("hold", {}, {}, { ...META, progressToken: "p" })),
        signal: controller.signal,
      }),
    );
    expect((await streamed).headers.get("content-type")).toBe("text/event-stream");
    controller.abort();
    await expect.poll(() => cancelled).toEqual(["hold"]);
  });

  test("who goes away cancels the call, and so does the end of the server", async () => {
    const { served } = serve();
    await post(served, call("echo"));
    const controller = new AbortController();
    const given = post(served, call("hold"), {}, controller.signal);
    await expect.poll(() => started).toHaveLength(1);
    controller.abort();
    expect((await given).status).toBe(499);
    await expect.poll(() => cancelled).toEqual(["hold"]);
    const held = post(served, call("hold"));
    await expect.poll(() => started).toHaveLength(2);
    await served.close();
    expect(JSON.stringify(await held)).toContain("TOOL_CANCELLED");
    expect(cancelled).toEqual(["hold", "hold"]);
  });
});
