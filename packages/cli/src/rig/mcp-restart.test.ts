import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openStore } from "@toolrig/store";
import { afterAll, expect, test, vi } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "toolrig-restart-"));
const store = join(folder, "toolrig.db");
const program = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"));
const files = { command: process.execPath, args: [program, folder] };
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
  await vi.waitFor(() => expect(text).toContain("said all"), { timeout: 50_000, interval: 50 });
  return { child, said: text.trim().split("\n") };
}

test("a connection that was added is there again after the process was killed", async () => {
  const { child } = await rigProcess(`
    await mcp.connect("files", ${JSON.stringify(files)});
    console.log("said all");
  `);
  child.kill("SIGKILL");
  const { said } = await rigProcess(`
    const { state, from, era } = mcp.get("files");
    console.log(state, from, era);
    const listed = await call({ id: "call_1", name: "files__list_directory", arguments: { path: ${JSON.stringify(folder)} } });
    console.log(listed.content[0].text.includes("toolrig.db"));
    await mcp.disconnect("files");
    console.log("said all");
  `);
  expect(said).toEqual(["ready catalog 2025", "true", "said all"]);
  const { catalog, close } = openStore(store);
  const entry = await catalog.get("connection", "files");
  expect(entry).toMatchObject({ enabled: false, spec: { server: files, era: { era: "2025" } } });
  close();
});
