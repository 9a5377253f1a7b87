import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { configOf, finished, project, start, toolrig } from "../../../test/toolrig-process.ts";

const SAFE = `input: { type: "object" }, safety: { sideEffects: "none", idempotent: true }`;
const cwd = project({
  "toolrig.config.ts": `
process.stdout.write("loading... ");
${configOf(`
  tool({ name: "inherit", description: "Run a child that prints", ${SAFE},
    execute: async () => {
      const { spawnSync } = await import("node:child_process");
      const spoofed = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "SPOOFED" }] } });
      spawnSync(process.execPath, ["-e", "process.stdout.write(process.argv[1] + '\\\\nBuilding... ')", spoofed], { stdio: "inherit" });
      return "ran";
    } }),
  tool({ name: "descriptor", description: "Write to descriptor 1", ${SAFE},
    execute: async () => {
      (await import("node:fs")).writeSync(1, "by the descriptor ");
      return "wrote";
    } }),
`)}`,
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const call = (name: string, id = 1) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {}, _meta: META } })}\n`;

test.each([
  ["a child that inherits the streams prints", "inherit", "ran", "Building... "],
  ["a tool writes to descriptor 1", "descriptor", "wrote", "by the descriptor "],
])("nothing but the protocol is on standard output when %s", async (_, name, answer, printed) => {
  const child = start(["mcp"], { cwd });
  child.stdin?.write(call(name));
  const outcome = finished(child);
  child.stdout?.once("data", () => child.stdin?.end());
  const { code, stdout, stderr } = await outcome;
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { content: [{ text: answer }] } });
  expect(stderr).toContain("loading... ");
  expect(stderr).toContain(printed);
  expect(code).toBe(0);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s cancels the calls under way, which are recorded",
  async (signal) => {
    const own = project({
      "toolrig.config.ts": configOf(
        `
  tool({ name: "wait", description: "Wait for its end", input: { type: "object" },
    execute: (_, { signal }) => new Promise((resolve) => {
      console.error("it waits");
      signal.addEventListener("abort", () => { console.error("it was told"); resolve("late"); });
    }) }),
`,
        'store: "toolrig.db"',
      ),
    });
    const child = start(["mcp"], { cwd: own });
    const outcome = finished(child);
    child.stdin?.write(call("wait"));
    for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream }))
      if (line === "it waits") break;
    child.kill(signal);
    const { code, stdout } = await outcome;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 1,
      result: { isError: true, content: [{ text: expect.stringContaining("TOOL_CANCELLED") }] },
    });
    const log = await toolrig(["log", "--json"], { cwd: own });
    expect(log.stdout).toContain("TOOL_CANCELLED");
  },
);
