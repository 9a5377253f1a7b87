import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CallEvent, Executor, Registry } from "@toolrig/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../../../scripts/until.ts";
import { type ConnectionOptions, connectMcp, type Mcp } from "../index.ts";

const EVERYTHING = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);
const FILESYSTEM = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
);

function rigWith(servers: Record<string, ConnectionOptions>) {
  const registry = new Registry();
  const executor = new Executor({ tools: registry });
  const mcp = connectMcp({ registry }, { servers });
  const call = (name: string, args: unknown = {}) => executor.call({ id: "call_1", name, arguments: args });
  return { registry, executor, mcp, call };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function everythingAt(port: number): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port) };
  const server = spawn(process.execPath, [EVERYTHING, "streamableHttp"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  server.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await until(() => said.includes("listening"));
  return server;
}

describe("server-everything", () => {
  let server: ChildProcess;
  let port: number;
  let rig: ReturnType<typeof rigWith>;
  const mcp = (): Mcp => rig.mcp;

  beforeAll(async () => {
    port = await freePort();
    server = await everythingAt(port);
    rig = rigWith({
      stdio: { command: process.execPath, args: [EVERYTHING] },
      http: { url: `http://127.0.0.1:${port}/mcp` },
    });
    await mcp().ready;
  });
  afterAll(async () => {
    await rig?.mcp.close();
    server?.kill("SIGKILL");
  });

  test.each(["stdio", "http"])("its tools are registered over %s", (name) => {
    const { state, era, tools, skipped } = mcp().get(name);
    expect({ state, era, skipped }).toEqual({ state: "ready", era: "2025", skipped: [] });
    expect(tools.length).toBeGreaterThan(10);
    const echo = rig.registry.get(`${name}__echo`);
    expect(echo && rig.registry.providerOf(echo)).toBe(`mcp:${name}`);
    expect(echo?.safety).toMatchObject({ sideEffects: "external", idempotent: false });
  });

  test.each(["stdio", "http"])("calls come back with content, values and labels over %s", async (name) => {
    const echoed = await rig.call(`${name}__echo`, { message: "hello" });
    expect(echoed).toMatchObject({
      isError: false,
      content: [{ type: "text", text: "Echo: hello" }],
      labels: { integrity: "untrusted", source: `mcp:${name}` },
    });
    const structured = await rig.call(`${name}__get-structured-content`, { location: "Chicago" });
    expect(structured.value).toMatchObject({ temperature: 36 });
    const image = await rig.call(`${name}__get-tiny-image`);
    expect(image.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
    const wrong = await rig.call(`${name}__get-sum`, { a: "x" });
    expect(wrong.failure?.kind).toBe("validation");
  });

  test.each(["stdio", "http"])("progress is told as it comes over %s", async (name) => {
    const updates: CallEvent[] = [];
    const stop = rig.executor.events.on((event) => {
      if (event.type === "call.update") updates.push(event);
    });
    await rig.call(`${name}__trigger-long-running-operation`, { duration: 0.3, steps: 3 });
    stop();
    // The last one may come together with the result, and then too late.
    expect(updates.length).toBeGreaterThanOrEqual(2);
    expect(updates[1]).toMatchObject({ update: { progress: 2 / 3 } });
  });

  test.each(["stdio", "http"])("what it asks is a question in the inbox over %s", async (name) => {
    const { waits } = rig.executor;
    const asking = rig.call(`${name}__trigger-elicitation-request`);
    await expect.poll(() => waits.list({ open: true })).toHaveLength(1);
    const [question] = await waits.list({ open: true, kind: "question" });
    expect(question?.note).toContain(`The MCP server "${name}" asks (its own words, not verified)`);
    await waits.answer(question?.id ?? "", { by: { id: "ada" }, value: { name: "Ada Lovelace" } });
    const { content } = await asking;
    const text = JSON.stringify(content);
    expect(text).toContain("Ada Lovelace");
    // A field that was left out has the value that the server named for it.
    expect(text).toContain("It was a dark and stormy night.");
  });

  test("what a task asks is in the inbox, and the task goes on with the answer", async () => {
    const args = { topic: "python", ambiguous: true };
    const call = { id: "asks", name: "stdio__simulate-research-query", arguments: args };
    const { executionId } = await rig.executor.call(call, { onWaiting: "return" });
    const { waits } = rig.executor;
    const questions = () => waits.list({ executionId, open: true, kind: "question" });
    await expect.poll(() => questions()).toHaveLength(1);
    await waits.answer(executionId, { by: { id: "ada" }, value: { interpretation: "snake" } });
    const { content } = await rig.executor.call(call, { executionId });
    expect(JSON.stringify(content)).toContain("snake");
  });

  test("what can only be a task is a call that waits", async () => {
    const research = async (name: string) => {
      const call = { id: name, name: `${name}__simulate-research-query`, arguments: { topic: "waiting" } };
      const { waiting, executionId } = await rig.executor.call(call, { onWaiting: "return" });
      expect(waiting).toMatchObject({ kind: "deferred", note: `${name} works on it` });
      return rig.executor.call(call, { executionId });
    };
    for (const { content, labels } of await Promise.all([research("stdio"), research("http")])) {
      expect(JSON.stringify(content)).toContain("Research Report: waiting");
      expect(labels?.integrity).toBe("untrusted");
    }
  });

  test("an address that it wants opened is shown and not opened", async () => {
    const { waits } = rig.executor;
    const asking = rig.call("stdio__trigger-url-elicitation", { url: "https://example.com/consent" });
    await expect.poll(() => waits.list({ open: true })).toHaveLength(1);
    const [question] = await waits.list({ open: true, kind: "question" });
    expect(question?.note).toContain("open this address yourself: https://example.com/consent");
    await waits.answer(question?.id ?? "", { by: { id: "ada" }, declined: true });
    expect(JSON.stringify((await asking).content)).toMatch(/decline/i);
  });

  test("a server that comes back is connected again, and its tools were not gone meanwhile", async () => {
    server.kill("SIGKILL");
    await once(server, "exit");
    // Nobody has to call it for that.
    await expect.poll(() => mcp().get("http").state).toBe("away");
    const away = await rig.call("http__echo", { message: "anybody" });
    expect(away.failure?.code).toBe("TOOL_UNAVAILABLE");
    expect(mcp().get("http").tools.length).toBeGreaterThan(10);
    expect(rig.registry.definitions().some(({ name }) => name === "http__echo")).toBe(false);
    server = await everythingAt(port);
    await expect.poll(() => mcp().get("http").state).toBe("ready");
    const back = await rig.call("http__echo", { message: "again" });
    expect(back.value).toBe("Echo: again");
  });
});

test("server-filesystem reads and writes where it may", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "toolrig-mcp-")));
  await writeFile(join(root, "a.txt"), "first");
  const { mcp, call } = rigWith({ files: { command: process.execPath, args: [FILESYSTEM, root] } });
  try {
    await mcp.ready;
    expect(mcp.get("files")).toMatchObject({ state: "ready", skipped: [] });
    const read = await call("files__read_text_file", { path: join(root, "a.txt") });
    expect(read.content).toEqual([{ type: "text", text: "first" }]);
    await call("files__write_file", { path: join(root, "b.txt"), content: "second" });
    expect(await readFile(join(root, "b.txt"), "utf8")).toBe("second");
    const outside = await call("files__read_text_file", { path: "/etc/hostname" });
    expect(outside.failure?.message).toContain("Access denied");
  } finally {
    await mcp.close();
    await rm(root, { recursive: true });
  }
});
