import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sampleRecord } from "@toolrig/core/testing";
import { openStore } from "@toolrig/store";
import { describe, expect, test } from "vitest";
import { configOf, inTurn, project, toolrig } from "../../test/toolrig-process.ts";

const mcpServer = join(import.meta.dirname, "../../test/mcp-server.ts");
const away = `tool({ name: "away", description: "Away", input: any, available: () => "no API key", execute: () => 1 })`;

describe.concurrent("toolrig doctor", () => {
  test("is content with a config that loads, and names tools that are unavailable", async () => {
    const cwd = project({ "toolrig.config.ts": configOf(away) });
    const { code, stdout } = await toolrig(["doctor", "--json"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { status: "ok", check: "node", message: expect.stringContaining(process.version) },
      { status: "ok", check: "config", message: expect.stringContaining(join(cwd, "toolrig.config.ts")) },
      { status: "ok", check: "tools", message: "1 registered" },
      { status: "warn", check: "away", message: "unavailable: no API key" },
      {
        status: "warn",
        check: "store",
        message: expect.any(String),
        fix: expect.stringContaining("Set store"),
      },
      { status: "ok", check: "model", message: expect.stringContaining("OPENAI_API_KEY, ") },
      { status: "ok", check: "nats", message: expect.stringContaining("no server configured") },
    ]);
  });

  test("warns about tools that count as trusted and return names that strangers choose", async () => {
    const reads = (name: string, more = "") =>
      `tool({ name: "${name}", description: "Lists", input: any, safety: safe, ${more} execute: () => [] })`;
    const tools = [
      reads("list_channels"),
      reads("search_drive", `output: { type: "array", items: { properties: { fileName: {} } } },`),
      reads("read_inbox", `labels: { integrity: "trusted" },`),
      reads("list_files", `labels: { integrity: "untrusted", assigned: ["id"] },`),
      reads("list_standing_orders"),
      `tool({ name: "send_mail", description: "Sends", input: any, execute: () => 1 })`,
    ].join(", ");
    const [on, off] = await Promise.all(
      [`policy: { profile: "standard" }`, `policy: { profile: "open" }`].map((policy) =>
        toolrig(["doctor", "--offline"], { cwd: project({ "toolrig.config.ts": configOf(tools, policy) }) }),
      ),
    );
    const warned = [...(on?.stdout ?? "").matchAll(/^warn +(\w+): counts as trusted/gm)].map(
      ([, name]) => name,
    );
    expect(warned).toEqual(["list_channels", "read_inbox", "search_drive"]);
    expect(on).toMatchObject({ code: 0, stdout: expect.stringContaining('"fileName"') });
    expect(on?.stdout).toContain("docs/guides/information-flow.md");
    expect(off?.stdout).not.toContain("counts as trusted");
  });

  test("exits 1 and says what is wrong with a config that does not load", async () => {
    const cwd = project({ "toolrig.config.json": `{ "tool": [] }` });
    const { code, stdout } = await toolrig(["doctor"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^fail {2}config: .*Unknown option "tool" for the configuration. Did you mean "tools"\?/m,
    );
  });

  test("looks at the store without making one", async () => {
    const config = configOf("", `store: "toolrig.db"`);
    const [none, broken] = await Promise.all([
      toolrig(["doctor"], { cwd: project({ "toolrig.config.ts": config }) }),
      toolrig(["doctor"], {
        cwd: project({ "toolrig.config.ts": config, "toolrig.db": "not a database, but long enough" }),
      }),
    ]);
    expect(none).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok +store: .*made by the first call$/m),
    });
    expect(broken).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^fail +store: .*not a Toolrig store/m),
    });
  });

  test("reads all of a store, and says that it is damaged", async () => {
    const cwd = project({ "toolrig.config.ts": configOf("", `store: "toolrig.db"`) });
    const file = join(cwd, "toolrig.db");
    const store = openStore(file);
    store.records.store(Array.from({ length: 200 }, (_, index) => sampleRecord(index)));
    store.close();
    expect(await toolrig(["doctor"], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok +store: .*200 records$/m),
    });
    const bytes = readFileSync(file);
    // Pages in the middle, so that it still opens.
    bytes.fill(0xff, Math.floor(bytes.length / 2 / 4096) * 4096, bytes.length - 4096);
    writeFileSync(file, bytes);
    expect(await toolrig(["doctor"], { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^fail +store: .*damaged/m),
    });
  });

  test("names the artifact and the run that are damaged in a file whose structure is whole", async () => {
    const cwd = project({ "toolrig.config.ts": configOf("", `store: "toolrig.db"`) });
    const file = join(cwd, "toolrig.db");
    const store = openStore(file);
    const artifact = store.artifacts.put("pay 1000");
    await store.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: {} });
    await store.journal.append("run_1", [{ type: "message", turn: 1, message: "a" }]);
    store.close();
    const database = new DatabaseSync(file);
    database.exec("UPDATE artifact_pieces SET content = CAST('pay 9000' AS BLOB); DELETE FROM journal");
    database.close();
    const { code, stdout } = await toolrig(["doctor"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail +store: .*Run run_1 lacks 1 of 1 entries/m);
    expect(stdout).toContain(`Artifact ${artifact} is damaged`);
  });

  test("names a connection of which nothing can be read, which is trusted by nobody and can be removed", async () => {
    const server = `{ command: process.execPath, args: ["server.mjs"] }`;
    const settings = `store: "toolrig.db", mcp: { servers: { notes: ${server} } }`;
    const cwd = project({ "toolrig.config.ts": configOf(away, settings), "server.mjs": "" });
    const file = join(cwd, "toolrig.db");
    const store = openStore(file);
    await store.catalog.put({ kind: "connection", name: "notes", spec: { pins: {} } });
    store.close();
    const database = new DatabaseSync(file);
    database.exec("UPDATE catalog SET spec = '{'");
    database.close();
    const asked = [["doctor"], ["tools"], ["mcp", "remove", "notes"], ["doctor", "--offline"]];
    const [doctor, tools, removed, after] = await inTurn(asked, { cwd });
    expect(doctor).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^fail +notes: what is kept of it cannot be read .*toolrig mcp remove notes$/m,
      ),
    });
    expect(tools).toMatchObject({ code: 1, stderr: expect.stringMatching(/toolrig mcp remove notes/) });
    expect([removed?.code, after?.code]).toEqual([0, 0]);
  });

  test("connects to what is configured, and says how to mend each", async () => {
    const server = (file: string) =>
      `{ command: process.execPath, args: [${JSON.stringify(mcpServer)}, ${JSON.stringify(file)}] }`;
    const cwd = project({ "tools.json": `[{ "name": "note", "inputSchema": { "type": "object" } }]` });
    const servers = `mcp: { servers: { notes: ${server(join(cwd, "tools.json"))}, gone: { command: "no-such-program" } } }`;
    const wrong = configOf("", `${servers}, model: "openai:gpt-5", nats: "nats://127.0.0.1:1"`);
    writeFileSync(join(cwd, "toolrig.config.ts"), wrong);
    const { code, stdout } = await toolrig(["doctor"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok +mcp notes: 1 tool$/m);
    expect(stdout).toMatch(/^fail +mcp gone: .*\n +→ .*toolrig mcp test gone$/m);
    expect(stdout).toMatch(/^fail +model: openai:gpt-5: .*Run: npm install @ai-sdk\/openai$/m);
    expect(stdout).toMatch(/^fail +nats: No connection .*\n +→ Start one: nats-server -js/m);
  });

  test("names rules of the policy that are about no tool", async () => {
    const rules = `[{ name: "mail", when: { tool: ["awya", "send_*", "docs__read"] }, verdict: "deny" }]`;
    const cwd = project({ "toolrig.config.ts": configOf(away, `policy: { rules: ${rules} }`) });
    const { stdout } = await toolrig(["doctor", "--offline"], { cwd });
    expect(stdout).toContain(
      'warn  policy: mail is about "awya", and there is no such tool. Did you mean "away"?\n',
    );
    expect(stdout).not.toMatch(/send_|docs__/);
  });

  test("says where models of one's own are found, and where a store cannot be", async () => {
    const config = configOf("", `store: "folder", model: "ollama:qwen3"`);
    const cwd = project({ "toolrig.config.ts": config, "folder/x": "" });
    const { code, stdout } = await toolrig(["doctor"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail +model: .*openai-compatible:MODEL, with OPENAI_BASE_URL/m);
    expect(stdout).toMatch(/^fail +store: .*folder is a folder\n +→ Set store/m);
  });

  test("never advises to start an empty ledger in the place of a store that lost something", async () => {
    const config = { "toolrig.config.ts": configOf("", `store: "toolrig.db"`) };
    for (const [files, problem] of [
      [{ "toolrig.db": "" }, "its file is empty"],
      [{ "toolrig.db-wal": "left" }, "its file is missing"],
      [{ "toolrig.db": "no database" }, "not a Toolrig store"],
    ] as const) {
      const cwd = project({ ...config, ...files });
      const { code, stdout } = await toolrig(["doctor"], { cwd });
      expect(code).toBe(1);
      expect(stdout).toMatch(new RegExp(`^fail +store: .*${problem}`, "ms"));
      expect(stdout).not.toContain("Set store");
      for (const looking of [["open"], ["audit", "verify"], ["log"]])
        expect((await toolrig(looking, { cwd })).code).not.toBe(0);
      expect(readdirSync(cwd).filter((name) => name.startsWith("toolrig.db"))).toEqual(Object.keys(files));
    }
  });
});
