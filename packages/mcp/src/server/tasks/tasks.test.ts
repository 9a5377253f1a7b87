import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ApprovalQueue, deferred, Executor, policyGuard, Registry, tool } from "@toolrig/core";
import { openStore } from "@toolrig/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mcpServer, type ServedMcp } from "../mcp-server.ts";
import type { McpServerOptions } from "../options.ts";

const any = { type: "object" } as const;
const ran: string[] = [];
let finish: (value: string) => void;
let running: Promise<string>;

const tools = () => [
  tool({
    name: "read",
    description: "Read",
    input: any,
    safety: { sideEffects: "read", idempotent: true },
    execute: () => "read",
  }),
  tool({ name: "write", description: "Write", input: any, execute: () => "written" }),
  tool({ name: "later", description: "Later", input: any, execute: () => deferred({ note: "a job runs" }) }),
  tool({
    name: "long",
    description: "Long",
    input: any,
    background: 1,
    execute: (_, { signal }) => {
      signal.addEventListener("abort", () => ran.push("aborted"));
      return running;
    },
  }),
  tool({
    name: "greet",
    description: "Greet",
    input: any,
    background: 1,
    async execute(_, { ask }) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const answer = await ask({ message: "Your name?", schema: { type: "string" } });
      ran.push("greet");
      return answer.status === "answered" ? `Hello, ${answer.value}!` : `no name: ${answer.status}`;
    },
  }),
  tool({
    name: "deploy",
    description: "Deploy",
    input: any,
    approval: true,
    execute() {
      ran.push("deploy");
      return "deployed";
    },
  }),
];

const open: { close(): Promise<void> }[] = [];
beforeEach(() => {
  running = new Promise((resolve) => {
    finish = resolve;
  });
});
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
  ran.length = 0;
});

function scene(options: McpServerOptions = {}) {
  const approvals = new ApprovalQueue();
  const executor = new Executor({
    tools: new Registry(tools()),
    approve: approvals.approver,
    guards: [policyGuard({ profile: "open" })],
  });
  const served = mcpServer({ executor, approvals }, options);
  open.push(served);
  return { served, executor, approvals };
}

interface Told {
  taskId: string;
  status: string;
  statusMessage?: string;
  task?: Told;
  tasks?: Told[];
  result?: { content: { text: string }[]; isError?: boolean };
  inputRequests?: Record<string, { method: string; params: { message: string } }>;
  content?: { text: string }[];
  resultType?: string;
}

const ANY = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** A request of 2026-07-28, as it is on the wire: the SDK's client knows no tasks. */
async function send(
  served: ServedMcp,
  method: string,
  params: { name?: string; taskId?: string; [more: string]: unknown },
  { capabilities = { elicitation: {}, ...TASKS }, token }: { capabilities?: object; token?: string } = {},
): Promise<Told & { error?: { code: number; message: string } }> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const response = await served.fetch(
    new Request("http://127.0.0.1/mcp", {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": params.name ?? params.taskId ?? "",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    }),
  );
  const { result, error } = (await response.json()) as { result?: Told; error?: never };
  return { ...(result as Told), error: error as never };
}

async function until(served: ServedMcp, taskId: string, status: string): Promise<Told> {
  let told: Told | undefined;
  const look = async () => {
    told = await send(served, "tasks/get", { taskId });
    return told.status;
  };
  await expect.poll(look).toBe(status);
  return told as Told;
}

describe("2026-07-28", () => {
  test("a call that goes on is a task for a client that takes them, and what it came to is in it", async () => {
    const { served } = scene();
    const made = await send(served, "tools/call", { name: "long" });
    expect(made).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: 1_000 });
    const { taskId } = made;
    expect(await send(served, "tasks/get", { taskId })).toMatchObject({
      status: "working",
      taskId: made.taskId,
    });
    finish("done");
    const { result } = await until(served, made.taskId, "completed");
    expect(result?.content[0]?.text).toBe("done");
    const plain = await send(served, "tools/call", { name: "write" });
    expect(plain).toMatchObject({ resultType: "complete", content: [{ text: "written" }] });
    const unaware = await send(served, "tools/call", { name: "later" }, { capabilities: {} });
    expect(unaware).toMatchObject({ resultType: "complete", content: [{}, { type: "resource_link" }] });
  });

  test("what a task asks is answered by tasks/update, once", async () => {
    const { served } = scene();
    const { taskId } = await send(served, "tools/call", { name: "greet" });
    const { inputRequests = {} } = await until(served, taskId, "input_required");
    const [key = ""] = Object.keys(inputRequests);
    expect(inputRequests[key]?.params).toMatchObject({ message: "Your name?" });
    const answer = { [key]: { action: "accept", content: { answer: "Ada" } } };
    const other = { another: { action: "accept", content: { answer: "Bob" } } };
    expect(await send(served, "tasks/update", { taskId, inputResponses: other })).toMatchObject({
      resultType: "complete",
    });
    expect((await send(served, "tasks/get", { taskId })).status).toBe("input_required");
    for (let time = 0; time < 2; time++)
      expect((await send(served, "tasks/update", { taskId, inputResponses: answer })).error).toBeUndefined();
    const { result } = await until(served, taskId, "completed");
    expect(result?.content[0]?.text).toBe("Hello, Ada!");
    expect(ran).toEqual(["greet"]);
  });

  test("where nobody at the client may approve, it is a task that waits for somebody who may", async () => {
    const { served, approvals } = scene();
    const { taskId } = await send(served, "tools/call", { name: "deploy" });
    expect((await send(served, "tasks/get", { taskId })).status).toBe("working");
    const [asked] = await approvals.store.list({ open: true });
    await approvals.approve(asked?.pending.executionId ?? "", { by: { id: "ada" } });
    expect((await until(served, taskId, "completed")).result?.content[0]?.text).toBe("deployed");
    expect(ran).toEqual(["deploy"]);
  });

  test("cancelling reaches the code, and twice is once", async () => {
    const { served, executor } = scene();
    for (const name of ["long", "later"]) {
      const { taskId } = await send(served, "tools/call", { name });
      for (let time = 0; time < 2; time++)
        expect((await send(served, "tasks/cancel", { taskId })).error).toBeUndefined();
      expect((await send(served, "tasks/get", { taskId })).status).toBe("cancelled");
    }
    await expect.poll(() => ran).toEqual(["aborted"]);
    await expect.poll(() => executor.waits.list({ open: true })).toEqual([]);
  });

  test("a task is its owner's, and nobody makes one up", async () => {
    const of = (token: string) => ({
      sha256: createHash("sha256").update(token).digest("hex"),
      principal: { id: token },
    });
    const { served } = scene({ tokens: [of("token-of-ada-1234"), of("token-of-bob-1234")] });
    const made = await send(served, "tools/call", { name: "later" }, { token: "token-of-ada-1234" });
    const { taskId } = made;
    const as = async (token: string, id: string) =>
      (await send(served, "tasks/get", { taskId: id }, { token })).error?.code;
    expect(await as("token-of-ada-1234", taskId)).toBeUndefined();
    expect(await as("token-of-bob-1234", taskId)).toBe(-32_602);
    for (const id of [`${taskId}x`, taskId.slice(0, -4), "t1.AAAA", "exec_1"])
      expect(await as("token-of-ada-1234", id)).toBe(-32_602);
    const cancelled = await send(served, "tasks/cancel", { taskId }, { token: "token-of-bob-1234" });
    expect(cancelled.error?.code).toBe(-32_602);
    const unaware = await send(
      served,
      "tasks/get",
      { taskId },
      { token: "token-of-ada-1234", capabilities: {} },
    );
    expect(unaware.error?.code).toBe(-32_021);
  });

  test("there are so many at once; beyond them a call that waits is told of as before", async () => {
    const { served } = scene({ maxTasks: 2 });
    const kinds: (string | undefined)[] = [];
    for (let count = 0; count < 3; count++)
      kinds.push((await send(served, "tools/call", { name: "later" })).resultType);
    expect(kinds).toEqual(["task", "task", "complete"]);
  });

  test("a task is there again after a restart", async () => {
    const folder = await mkdtemp(join(tmpdir(), "toolrig-tasks-"));
    const file = join(folder, "rig.db");
    const secret = "s".repeat(32);
    const start = () => {
      const store = openStore(file);
      const executor = new Executor({
        tools: new Registry(tools()),
        ledger: store.ledger,
        waits: store.waits,
      });
      executor.waits.start();
      const served = mcpServer({ executor }, { secret });
      const stop = async () => {
        await served.close();
        await executor.waits.stop();
        store.close();
      };
      return { executor, served, stop };
    };
    const first = start();
    const { taskId } = await send(first.served, "tools/call", {
      name: "later",
      arguments: { long: "x".repeat(100) },
    });
    await first.stop();
    const second = start();
    expect(await send(second.served, "tasks/get", { taskId })).toMatchObject({
      status: "working",
      statusMessage: "a job runs",
    });
    const [wait] = await second.executor.waits.list({ open: true });
    await second.executor.waits.complete(wait?.executionId ?? "", { by: { id: "ada" } }, "it is done");
    expect((await until(second.served, taskId, "completed")).result?.content[0]?.text).toBe("it is done");
    await second.stop();
    const third = start();
    expect((await until(third.served, taskId, "completed")).result?.content[0]?.text).toBe("it is done");
    await third.stop();
    await rm(folder, { recursive: true });
  });
});

async function clientOf(served: ServedMcp, answer?: () => object): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: "legacy" },
    },
  );
  if (answer !== undefined) client.setRequestHandler("elicitation/create", () => answer() as never);
  const fetch = (url: URL | string, init?: RequestInit) => served.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }));
  open.push(client);
  return client;
}

const ask = (client: Client, method: string, params: object): Promise<Told> =>
  client.request({ method, params } as never, ANY as never) as Promise<Told>;
const begin = async (client: Client, name: string): Promise<string> =>
  (await ask(client, "tools/call", { name, arguments: {}, task: { ttl: 60_000 } })).task?.taskId ?? "";

describe("2025-11-25", () => {
  test("tools say whether they can be tasks, and one that cannot is refused", async () => {
    const client = await clientOf(scene().served);
    expect(client.getServerCapabilities()?.tasks).toMatchObject({ requests: { tools: { call: {} } } });
    const { tools: listed } = await client.listTools();
    const support = Object.fromEntries(listed.map(({ name, execution }) => [name, execution?.taskSupport]));
    expect(support).toMatchObject({
      read: undefined,
      write: "optional",
      long: "optional",
      later: "optional",
    });
    await expect(begin(client, "read")).rejects.toMatchObject({ code: -32_601 });
  });

  test("a task whose time is over is neither found nor listed", async () => {
    const client = await clientOf(scene().served);
    const params = { name: "long", arguments: {}, task: { ttl: 1_000 } };
    const { task } = await ask(client, "tools/call", params);
    const isFound = () =>
      ask(client, "tasks/get", { taskId: task?.taskId }).then(
        () => true,
        () => false,
      );
    await expect.poll(isFound).toBe(false);
    expect((await ask(client, "tasks/list", {})).tasks).toEqual([]);
  });

  test("a call as a task is answered at once, listed, told of, and its result is waited for", async () => {
    const client = await clientOf(scene().served);
    const statuses: unknown[] = [];
    client.fallbackNotificationHandler = async ({ method, params }) => {
      if (method === "notifications/tasks/status") statuses.push(params?.status);
    };
    const taskId = await begin(client, "long");
    expect(await ask(client, "tasks/get", { taskId })).toMatchObject({ status: "working", ttl: 60_000 });
    expect((await ask(client, "tasks/list", {})).tasks).toMatchObject([{ taskId }]);
    const result = ask(client, "tasks/result", { taskId });
    finish("done");
    expect(await result).toMatchObject({
      content: [{ text: "done" }],
      _meta: { "io.modelcontextprotocol/related-task": { taskId } },
    });
    expect((await ask(client, "tasks/get", { taskId })).status).toBe("completed");
    await expect.poll(() => statuses).toEqual(["completed"]);
    const other = await clientOf(scene().served);
    expect((await ask(other, "tasks/list", {})).tasks).toEqual([]);
    await expect(ask(other, "tasks/get", { taskId })).rejects.toMatchObject({ code: -32_602 });
  });

  test("what it asks is asked over tasks/result, of one request at a time", async () => {
    let asked = 0;
    const answer = () => {
      asked += 1;
      return { action: "accept", content: { answer: "Ada" } };
    };
    const client = await clientOf(scene().served, answer);
    const taskId = await begin(client, "greet");
    await expect.poll(async () => (await ask(client, "tasks/get", { taskId })).status).toBe("input_required");
    const results = await Promise.all([1, 2].map(() => ask(client, "tasks/result", { taskId })));
    expect(results.map(({ content }) => content?.[0]?.text)).toEqual(["Hello, Ada!", "Hello, Ada!"]);
    expect(asked).toBe(1);
    expect(ran).toEqual(["greet"]);
  });

  test("an approval is asked of the person at the client", async () => {
    const { served } = scene({ views: { all: { approver: { id: "ada" } } } });
    const client = await clientOf(served, () => ({ action: "accept", content: { approve: true } }));
    const taskId = await begin(client, "deploy");
    expect((await ask(client, "tasks/result", { taskId })).content?.[0]?.text).toBe("deployed");
    expect(ran).toEqual(["deploy"]);
  });

  test("cancelling ends it, and what is over cannot be cancelled", async () => {
    const client = await clientOf(scene({ maxTasks: 1 }).served);
    const taskId = await begin(client, "long");
    await expect(begin(client, "long")).rejects.toThrow("1 tasks at once");
    expect((await ask(client, "tasks/cancel", { taskId })).status).toBe("cancelled");
    await expect.poll(() => ran).toEqual(["aborted"]);
    await expect(ask(client, "tasks/cancel", { taskId })).rejects.toMatchObject({ code: -32_602 });
    await expect(ask(client, "tasks/result", { taskId })).rejects.toThrow("cancelled");
    await begin(client, "long");
  });
});

test("over stdio as well", async () => {
  const { served } = scene();
  const input = new PassThrough();
  const output = new PassThrough();
  const over = served.stdio({ input, output });
  let said = "";
  output.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  const write = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  write({ id: 1, method: "initialize", params: hello });
  write({ method: "notifications/initialized" });
  write({ id: 2, method: "tools/call", params: { name: "long", arguments: {}, task: {} } });
  await expect.poll(() => said).toContain('"id":2');
  finish("done");
  await expect.poll(() => said).toContain('"status":"completed"');
  input.end();
  await over;
});
