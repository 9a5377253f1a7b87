import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "@toolrig/store";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "toolrig-restart-"));
const store = join(folder, "toolrig.db");
const listed = join(folder, "tools.json");
writeFileSync(listed, JSON.stringify([{ name: "echo", inputSchema: { type: "object" } }]));
const program = fileURLToPath(new URL("../../test/mcp-server.ts", import.meta.url));
const plain = { command: process.execPath, args: [program, listed] };
const processes: ChildProcess[] = [];
afterAll(() => {
  for (const each of processes) each.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** A program with a rig that has connections, in a process of its own. */
async function rigProcess(code: string): Promise<{ child: ChildProcess; said: string[] }> {
  const source = `
    import { rig } from ${JSON.stringify(new URL("./rig.ts", import.meta.url).href)};
    const { call, mcp } = rig({ store: ${JSON.stringify(store)}, mcp: {} });
    await mcp.ready;
    ${code}
    setInterval(() => {}, 1_000);
  `;
  const args = ["--conditions=@toolrig/source", "--input-type=module", "-e", source];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: import.meta.dirname,
  });
  processes.push(child);
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text).toContain("said all");
  return { child, said: text.trim().split("\n") };
}

test("a connection that was added is there again after the process was killed", async () => {
  const { child } = await rigProcess(`
    await mcp.connect("plain", ${JSON.stringify(plain)});
    console.log("said all");
  `);
  child.kill("SIGKILL");
  const { said } = await rigProcess(`
    const { state, from, era } = mcp.get("plain");
    console.log(state, from, era);
    console.log((await call({ id: "call_1", name: "plain__echo", arguments: {} })).value);
    await mcp.disconnect("plain");
    console.log("said all");
  `);
  expect(said).toEqual(["ready catalog 2025", "echo {} no secret", "said all"]);
  const { catalog, close } = openStore(store);
  const entry = await catalog.get("connection", "plain");
  expect(entry).toMatchObject({ enabled: false, spec: { server: plain, era: { era: "2025" } } });
  close();
});
