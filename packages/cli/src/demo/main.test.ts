import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "toolrig-demo-"));
let demo: ChildProcess | undefined;
afterEach(() => {
  demo?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]): { said(): string } {
  const main = join(import.meta.dirname, "main.ts");
  let said = "";
  demo = spawn(process.execPath, ["--conditions=@toolrig/source", main, ...args], { stdio: "pipe" });
  for (const stream of [demo.stdout, demo.stderr]) stream?.on("data", (piece) => (said += piece));
  return { said: () => said };
}

test("npm start serves the console, starts the agent, and keeps what waits", async () => {
  const data = join(folder, "data");
  const { said } = start("--port", "0", "--data", data, "--every", "1h");
  await expect.poll(said).toMatch(/console: http:\/\/127\.0\.0\.1:\d+/);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said())?.[0] ?? "";
  const get = async (path: string) => (await fetch(`${url}/api/v1${path}`)).json();
  await expect.poll(async () => (await get("/inbox")).items.length).toBe(3);
  expect((await get("/server")).features).toMatchObject({ demo: true, store: true, policy: true });
  const started = await fetch(`${url}/api/v1/demo/start`, { method: "POST" });
  expect(await started.json()).toEqual({ runId: expect.stringMatching(/^run_/) });
  demo?.kill("SIGTERM");
  expect(await once(demo as ChildProcess, "exit")).toEqual([0, null]);
  expect(existsSync(join(data, "demo.db"))).toBe(true);
});

test.each([
  [["--every", "soon"], "--every must be a duration"],
  [["--prot", "1"], "'--prot'"],
])("npm start -- %j is refused with what is wrong", async (args, message) => {
  const { said } = start("--data", join(folder, "data"), ...args);
  expect(await once(demo as ChildProcess, "exit")).toEqual([2, null]);
  expect(said()).toContain(message);
  expect(said()).not.toContain("    at ");
});
