import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Executor, Registry } from "@toolrig/core";
import { MemoryCatalog } from "@toolrig/core/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ConnectionOptions, connectMcp, type Mcp } from "../index.ts";

/** A server of the 2025 era, by hand. What it does is told by the tool's name; `FOLDER` is where it leaves traces. */
const SERVER = `
const { appendFileSync, existsSync, writeFileSync } = require("node:fs");
const trace = (name, text = "x") => appendFileSync(process.env.FOLDER + "/" + name, text + "\\n");
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const object = { type: "object" };
let tools = ["write", "read", "pid", "wait", "grow", "env", "ask"].map((name) => ({
  name, description: name, inputSchema: object, annotations: { readOnlyHint: name === "read" },
}));
let asking;
let answers = [];
const text = (id, text) => send({ id, result: { content: [{ type: "text", text }] } });
trace("starts", process.pid);
if (process.env.STUBBORN) { process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); }
if (process.env.NOT_BEFORE && !existsSync(process.env.FOLDER + "/" + process.env.NOT_BEFORE)) process.exit(1);
const call = (id, name, args) => {
  if (name === "pid") return text(id, String(process.pid));
  if (name === "env") return text(id, JSON.stringify(process.env));
  if (name === "ask") {
    asking = id;
    for (let i = 0; i < 30; i++)
      send({ id: "ask" + i, method: "elicitation/create", params: { message: "Question " + i, requestedSchema: { type: "object", properties: {} } } });
    return;
  }
  if (name === "wait") return trace("waiting");
  if (name === "grow") {
    tools = [...tools, { name: "more", description: "more", inputSchema: object }];
    for (let i = 0; i < 50; i++) send({ method: "notifications/tools/list_changed" });
    return text(id, "grown");
  }
  trace(name);
  if (!existsSync(process.env.FOLDER + "/again")) { writeFileSync(process.env.FOLDER + "/again", ""); process.exit(1); }
  text(id, name + " done");
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (result) { answers.push(result.action); if (answers.length === 30) text(asking, answers.sort().join(" ")); return; }
  if (method === "initialize")
    return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "s", version: "1" } } });
  if (method === "tools/list") { trace("lists"); return send({ id, result: { tools } }); }
  if (method === "tools/call") return call(id, params.name, params.arguments);
  if (method === "notifications/cancelled") return trace("cancelled");
  if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
});
`;

let folder: string;
let mcp: Mcp;
let registry: Registry;
let executor: Executor;

const lines = async (name: string) =>
  existsSync(join(folder, name)) ? (await readFile(join(folder, name), "utf8")).trim().split("\n") : [];
const server = (more: ConnectionOptions & { traits?: Record<string, string> } = {}): ConnectionOptions => {
  const { traits, ...rest } = more;
  return { command: process.execPath, args: ["-e", SERVER], env: { FOLDER: folder, ...traits }, ...rest };
};
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const call = (name: string, signal?: AbortSignal) =>
  executor.call({ id: "call_1", name, arguments: {} }, signal && { signal });

async function start(options: ConnectionOptions, catalog = new MemoryCatalog()): Promise<void> {
  registry = new Registry();
  executor = new Executor({ tools: registry });
  mcp = connectMcp({ registry, store: { catalog } }, { servers: { s: options } });
  await mcp.ready;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolrig-mcp-"));
});
afterEach(async () => {
  await mcp?.close();
  await rm(folder, { recursive: true });
});

test("a write whose server died is of unknown outcome, and is not made twice", async () => {
  await start(server());
  const { failure } = await call("s__write");
  expect(failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  await expect.poll(() => mcp.get("s").state).toBe("ready");
  expect(await lines("write")).toHaveLength(1);
  expect((await call("s__write")).value).toBe("write done");
});

test("a read whose server died is made again, where the operator trusts what the server says of it", async () => {
  await start(server({ trust: "annotations" }));
  expect((await call("s__read")).value).toBe("read done");
  expect(await lines("read")).toHaveLength(2);
});

test("without that trust, it is not", async () => {
  await start(server());
  expect((await call("s__read")).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
});

test("while a server is away its tools are there, and not available", async () => {
  await start(server());
  const [pid] = await lines("starts");
  await mcp.disconnect("s");
  expect(registry.tools()).toEqual([]);
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
  await mcp.connect("s");
  expect((await call("s__pid")).isError).toBe(false);
});

test("a server that is not there at first is tried again", async () => {
  await start(server({ traits: { NOT_BEFORE: "now" } }));
  expect(mcp.get("s")).toMatchObject({ state: "away", tools: [] });
  await writeFile(join(folder, "now"), "");
  await expect.poll(() => mcp.get("s").state).toBe("ready");
});

test("a command that does not exist is said so", async () => {
  await start({ command: "/no/such/program" });
  expect(mcp.get("s")).toMatchObject({ state: "away", reason: expect.stringContaining("ENOENT") });
});

test("a program that ended at once was reported as a broken pipe", async () => {
  await start({ command: process.execPath, args: ["-e", 'console.error("no key"); process.exitCode = 3'] });
  expect(mcp.get("s").reason).toContain("the program ended with exit code 3. It said: no key");
});

test("of a program that could not begin the line that says why was cut off", async () => {
  await start({ command: process.execPath, args: ["no-such-program.js"] });
  expect(mcp.get("s").reason).toMatch(
    /^the program ended with exit code 1\. It said: Error: Cannot find module '.*no-such-program\.js'$/,
  );
});

test("a folder that is gone is not told as a missing program", async () => {
  await start({ command: process.execPath, cwd: join(folder, "gone") });
  expect(mcp.get("s").reason).toContain(`the folder it is started in is not there: ${join(folder, "gone")}`);
});

test("a list that changes is read again, once for many notifications, and what is new is quarantined", async () => {
  await start(server());
  expect(await lines("lists")).toHaveLength(1);
  await call("s__grow");
  await expect.poll(() => mcp.get("s").quarantined).toEqual([{ name: "more", reason: "new" }]);
  expect((await lines("lists")).length).toBeLessThanOrEqual(3);
  expect(registry.get("s__more")).toBeUndefined();
  expect(await mcp.accept("s")).toEqual(["more"]);
  expect(registry.get("s__more")).toBeDefined();
});

test("a call that is cancelled is cancelled at the server", async () => {
  await start(server());
  const controller = new AbortController();
  const pending = call("s__wait", controller.signal);
  await expect.poll(() => lines("waiting")).toHaveLength(1);
  controller.abort();
  expect((await pending).failure?.code).toBe("TOOL_CANCELLED");
  await expect.poll(() => lines("cancelled")).toHaveLength(1);
});

test("a server that says nothing is given up, and told so", async () => {
  await start(server({ idleTimeout: 100 }));
  const { failure } = await call("s__wait");
  expect(failure).toMatchObject({ code: "TOOL_TIMEOUT", details: { limit: "idle" } });
  await expect.poll(() => lines("cancelled")).toHaveLength(1);
});

test("a server that asks and asks is not heard for ever", async () => {
  await start(server());
  const pending = call("s__ask");
  const { waits } = executor;
  await expect.poll(() => waits.list({ open: true })).toHaveLength(3);
  for (const { id } of await waits.list({ open: true }))
    await waits.answer(id, { by: { id: "ada" }, value: {} });
  const told = String((await pending).value).split(" ");
  expect(told.filter((each) => each === "accept")).toHaveLength(3);
  expect(told.filter((each) => each === "cancel")).toHaveLength(27);
});

test("who is asked cannot be told when calls of several principals are under way", async () => {
  await start(server());
  const as = (id: string, name: string) =>
    executor.call({ id, name, arguments: {} }, { principal: { id }, signal: AbortSignal.timeout(20_000) });
  void as("ada", "s__wait");
  await expect.poll(() => lines("waiting")).toHaveLength(1);
  expect((await as("bob", "s__ask")).value).toBe(Array(30).fill("cancel").join(" "));
  expect(await executor.waits.list()).toEqual([]);
});

test("the era is found once and remembered", async () => {
  const catalog = new MemoryCatalog();
  await start(server(), catalog);
  expect(catalog.get("connection", "s")?.spec).toMatchObject({ era: { era: "2025" } });
  // In place: the question about the era costs no second process.
  expect(await lines("starts")).toHaveLength(1);
});

test("nothing of this process's environment gets to a server by itself", async () => {
  process.env.SOME_TOKEN = "secret";
  await start(server());
  const environment = JSON.parse(String((await call("s__env")).value));
  delete process.env.SOME_TOKEN;
  expect(environment).toMatchObject({ FOLDER: folder });
  expect(environment.SOME_TOKEN).toBeUndefined();
});

test("a tool of a server never replaces one of another provider", async () => {
  await start(server());
  const first = registry.get("s__pid");
  const second = connectMcp({ registry }, { servers: { s: server() } });
  await second.ready;
  expect(second.get("s").skipped[0]?.reason).toContain('provider "mcp:s" has a tool of that name');
  await second.close();
  expect(registry.get("s__pid")).toBe(first);
});

test("a server that does not end is ended", async () => {
  await start(server({ traits: { STUBBORN: "1" } }));
  const [pid] = await lines("starts");
  await mcp.close();
  expect(isAlive(Number(pid))).toBe(false);
});

test("closing waited for the question about the era, which a silent server never answers", async () => {
  const silent = `require("node:fs").writeFileSync(process.env.FOLDER + "/starts", "x"); process.stdin.resume();`;
  mcp = connectMcp(
    { registry: new Registry() },
    { servers: { s: server({ args: ["-e", silent], connectTimeout: "1d" }) } },
  );
  await expect.poll(() => lines("starts")).toHaveLength(1);
  await mcp.close();
});

test("servers end when this process is killed, also one that does not want to", async () => {
  const index = new URL("../index.ts", import.meta.url);
  const program = `
    import { Registry } from "@toolrig/core";
    import { connectMcp } from ${JSON.stringify(index.href)};
    const mcp = connectMcp({ registry: new Registry() }, { servers: ${JSON.stringify({ s: server(), stubborn: server({ traits: { STUBBORN: "1" } }) })} });
    await mcp.ready;
    console.log(mcp.list().map(({ state }) => state).join());
    setInterval(() => {}, 1000);
  `;
  const parent = spawn(
    process.execPath,
    ["--conditions=@toolrig/source", "--input-type=module", "-e", program],
    {
      stdio: ["ignore", "pipe", "inherit"],
      cwd: new URL("../../", import.meta.url),
    },
  );
  let said = "";
  parent.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await expect.poll(() => said).toContain("ready,ready");
  const pids = (await lines("starts")).map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  parent.kill("SIGKILL");
  await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
});
