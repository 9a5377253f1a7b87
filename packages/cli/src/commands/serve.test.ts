import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { configOf, finished, project, start, toolrig } from "../../test/toolrig-process.ts";

const SAY_CONFIG = configOf(`
  tool({ name: "say", description: "Say it", input: { type: "object", properties: { what: { type: "string" } } },
    safety: { sideEffects: "none", idempotent: true },
    execute: ({ what }) => { console.log("a tool that prints"); return "you said " + what; } }),
`);
const cwd = project({ "toolrig.config.ts": SAY_CONFIG });
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill();
});

async function serving(args: readonly string[] = []): Promise<string> {
  const child = start(["serve", "--port", "0", ...args], { cwd });
  running.push(child);
  const lines = createInterface(child.stdout as NodeJS.ReadableStream);
  for await (const line of lines) return line;
  throw new Error(await text(child.stderr as NodeJS.ReadableStream));
}

/** The Inspector of MCP, as a client that somebody else wrote. */
async function inspector(args: readonly string[]) {
  const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
  const home = mkdtempSync(join(tmpdir(), "inspector-"));
  const launcher = join(dirname(manifest), "clients/launcher/build/index.js");
  const child = spawn(process.execPath, [launcher, "--cli", "--connect-timeout", String(HANG_MS), ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return finished(child);
}

/**
 * A command that speaks for a `toolrig mcp` which has started already. The Inspector waits a minute for the answer to `initialize`,
 * whatever its limits for connections and requests, and a process may take longer to start.
 */
async function startedOverStdio(): Promise<readonly string[]> {
  const own = project({
    "toolrig.config.ts": `${SAY_CONFIG}\nprocess.stderr.write("the config is read\\n");`,
    "pass-on.cjs": `const server = require("node:net").connect("mcp.sock");
      process.stdin.pipe(server).pipe(process.stdout);`,
  });
  const server = start(["mcp"], { cwd: own });
  running.push(server);
  await once(createInterface(server.stderr as NodeJS.ReadableStream), "line");
  const door = createServer((client) => client.pipe(server.stdin!) && server.stdout!.pipe(client));
  await once(door.listen(join(own, "mcp.sock")), "listening");
  server.once("close", () => door.close());
  return ["--cwd", own, process.execPath, "pass-on.cjs"];
}

describe("the Inspector as a client", () => {
  test.each(["modern", "legacy"])("%s, over stdio and HTTP", async (era) => {
    const url = await serving();
    for (const target of [async () => [`${url}/mcp`], startedOverStdio]) {
      const list = ["--protocol-era", era, "--method", "tools/list", "--strict"];
      const listed = await inspector([...list, ...(await target())]);
      expect(listed).toMatchObject({ code: 0 });
      expect(JSON.parse(listed.stdout)).toMatchObject({ tools: [{ name: "say" }] });
      const call = ["--method", "tools/call", "--tool-arg", "what=hello", "--tool-name", "say"];
      const called = await inspector(["--protocol-era", era, ...call, ...(await target())]);
      expect(called).toMatchObject({ code: 0 });
      expect(JSON.parse(called.stdout)).toMatchObject({
        content: [{ type: "text", text: "you said hello" }],
      });
    }
  });
});

describe("toolrig serve", () => {
  test("answers the requests that are under way when it is stopped", async () => {
    const own = project({
      "toolrig.config.ts": configOf(`
  tool({ name: "hold", description: "Hold", input: { type: "object" }, safety: { sideEffects: "read" },
    execute: () => { process.stderr.write("it began\\n"); return new Promise(() => {}); } }),
`),
    });
    const child = start(["serve", "--port", "0"], { cwd: own });
    running.push(child);
    const [url] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), "line")) as [string];
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const called = fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "hold",
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "hold", arguments: {}, _meta: meta },
      }),
    });
    let said = "";
    child.stderr!.on("data", (chunk) => {
      said += chunk;
    });
    await expect.poll(() => said).toContain("it began");
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await (await called).text()).toContain("TOOL_CANCELLED");
    expect(await ended).toEqual([0, null]);
  });

  test("listens elsewhere only with tokens, of a file that others cannot read", async () => {
    const file = join(cwd, "tokens");
    writeFileSync(file, "# whose and what\nada a-token-of-ada-1234\n");
    chmodSync(file, 0o644);
    const open = await toolrig(["serve", "--host", "0.0.0.0"], { cwd });
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining("toolrig token new") });
    const readable = await toolrig(["serve", "--token-file", file], { cwd });
    expect(readable.stderr).toContain("chmod 600");
    chmodSync(file, 0o600);
    const url = await serving(["--token-file", file]);
    const ask = (token: string) =>
      fetch(`${url}/mcp`, {
        method: "POST",
        body: "{}",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      });
    expect((await ask("another")).status).toBe(401);
    expect((await ask("a-token-of-ada-1234")).status).toBe(400);
    const health = await fetch(`${url}/healthz`);
    expect(await health.json()).toEqual({ status: "ok" });
  });
});

describe("toolrig token", () => {
  test("tokens belong to the config, from whichever folder a command is typed", async () => {
    const own = project({ "sub/.keep": "", "a.config.mts": configOf("") });
    const sub = join(own, "sub");
    const at = ["-c", "../a.config.mts"];
    const made = await toolrig(["token", "new", "ci", ...at], { cwd: sub });
    expect(made.stderr).toContain("It is the first: a server that was started without tokens");
    expect(existsSync(join(own, ".toolrig", "tokens.json"))).toBe(true);
    expect((await toolrig(["token", "list", "-c", "a.config.mts"], { cwd: own })).stdout).toContain("ci");
    for (const command of ["serve", "dev"]) {
      const child = start([command, "--port", "0", ...at], { cwd: sub });
      running.push(child);
      const [url] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), "line")) as [string];
      expect((await fetch(`${url}/api/v1/tools`)).status).toBe(401);
    }
    expect(existsSync(join(sub, ".toolrig"))).toBe(false);
  });

  test("a server without tokens says that whoever is on the machine may come", async () => {
    const child = start(["serve", "--port", "0"], { cwd });
    running.push(child);
    const [line] = (await once(createInterface(child.stderr as NodeJS.ReadableStream), "line")) as [string];
    expect(line).toContain("There are no tokens: whoever is on this machine may come.");
  });

  test("makes tokens that a server takes, lists them without telling them, and revokes them", async () => {
    const own = project({ "toolrig.config.ts": configOf("") });
    const made = await toolrig(["token", "new", "ci", "--scope", "read", "--expires", "1h"], { cwd: own });
    const token = made.stdout.trim();
    expect(token).toMatch(/^trg_[\w-]{43}$/);
    const file = join(own, ".toolrig", "tokens.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain(token);
    const child = start(["serve", "--port", "0"], { cwd: own });
    running.push(child);
    const [url] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), "line")) as [string];
    const ask = async (path: string, options: RequestInit = {}) =>
      (await fetch(url + path, { ...options, headers: { authorization: `Bearer ${token}` } })).status;
    expect((await fetch(`${url}/api/v1/tools`)).status).toBe(401);
    expect(await ask("/api/v1/tools")).toBe(200);
    expect(await ask("/api/v1/calls", { method: "POST" })).toBe(403);
    const [listed] = JSON.parse((await toolrig(["token", "list", "--json"], { cwd: own })).stdout);
    expect(listed).toMatchObject({ principal: { id: "ci" }, scopes: ["read"] });
    expect(listed).not.toHaveProperty("sha256");
    expect((await toolrig(["token", "revoke", listed.id], { cwd: own })).code).toBe(0);
    await expect.poll(() => ask("/api/v1/tools")).toBe(401);
    expect((await toolrig(["token", "revoke", listed.id], { cwd: own })).code).not.toBe(0);
    expect((await toolrig(["token", "new", "ci", "--scope", "everything"], { cwd: own })).stderr).toContain(
      "--scope",
    );
    for (const nobody of ["", " "])
      expect(await toolrig(["token", "new", nobody], { cwd: own })).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("NAME must be whom the token is for"),
      });
    expect((await toolrig(["token", "list"], { cwd: own })).code).toBe(0);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    const denied = readFileSync(join(own, ".toolrig", "denied.ndjson"), "utf8")
      .trim()
      .split("\n");
    expect(denied.map((line) => JSON.parse(line).code)).toContain("SCOPE_MISSING");
    expect(denied.join()).not.toContain(token);
  });
});

test("toolrig mcp ends with its input, and its output is protocol alone", async () => {
  const child = start(["mcp"], { cwd });
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "say", arguments: { what: "it" }, _meta: meta };
  child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
  const outcome = finished(child);
  child.stdout?.once("data", () => child.stdin?.end());
  const { code, stdout, stderr } = await outcome;
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { content: [{ text: "you said it" }] } });
  expect(stderr).toContain("a tool that prints");
  expect(code).toBe(0);
});
