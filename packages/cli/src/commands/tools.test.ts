import { existsSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@toolrig/store";
import { describe, expect, test } from "vitest";
import { hasTerminal, onTerminal } from "../../test/terminal.ts";
import { configOf, project, toolrig } from "../../test/toolrig-process.ts";

const config = configOf(
  `
  tool({ name: "write_note", version: "1.2.0", description: "Write a note", input: any,
    safety: { sideEffects: "write", idempotent: true }, execute: () => 1 }),
  tool({ name: "ask_oracle", description: "Ask", input: any, available: () => "no API key", execute: () => 1 }),
  tool({ name: "browse", description: "Browse", input: any,
    safety: { sideEffects: "read", requires: ["network"] }, execute: () => 1 }),
`,
  `capabilities: ["filesystem"]`,
);
const cwd = project({ "toolrig.config.ts": config });

describe.concurrent("toolrig tools", () => {
  test.skipIf(!hasTerminal)("one long name does not make every row two lines", async () => {
    const long = `a_tool_with_${"a_very_".repeat(8)}long_name`;
    const named = configOf(
      ["greet", long]
        .map((name) => `tool({ name: "${name}", description: "It", input: any, execute: () => 1 })`)
        .join(),
    );
    const shown = await onTerminal(["tools"], { cwd: project({ "toolrig.config.ts": named }), columns: 80 });
    const lines = shown.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(Math.max(...lines.map((line) => line.trimEnd().length))).toBeLessThanOrEqual(80);
    expect(shown).toContain("…");
  });

  test("prints a line of fields for each tool, sorted by name", async () => {
    const { code, stdout, stderr } = await toolrig(["tools"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(
      stdout
        .slice(0, -1)
        .split("\n")
        .map((line) => line.split("\t")),
    ).toEqual([
      ["ask_oracle", "-", "local", "external", "no", "no API key"],
      ["browse", "-", "local", "read", "no", "it requires network, which is not granted"],
      ["write_note", "1.2.0", "local", "write, idempotent", "yes", ""],
    ]);
  });

  test("leaves out what the allowlist does not name", async () => {
    const limited = project({
      "toolrig.config.ts": config.replace("capabilities:", 'allow: ["browse"], capabilities:'),
    });
    const { stdout } = await toolrig(["tools"], { cwd: limited });
    expect(stdout).toMatch(/^browse\t.*\n$/);
  });

  test("opens no store, so that looking leaves no trace", async () => {
    const untouched = project({
      "toolrig.config.ts": config.replace("capabilities:", 'store: "toolrig.db", capabilities:'),
    });
    expect((await toolrig(["tools"], { cwd: untouched })).code).toBe(0);
    expect(existsSync(join(untouched, "toolrig.db"))).toBe(false);
  });

  test("tells what the store says of a tool, and leaves the store alone", async () => {
    const described = project({
      "toolrig.config.ts": config.replace("capabilities:", 'store: "toolrig.db", capabilities:'),
    });
    const store = openStore(join(described, "toolrig.db"));
    store.descriptions.set("browse", "overridden");
    store.close();
    const { stdout } = await toolrig(["tools", "--json"], { cwd: described });
    expect(JSON.parse(stdout)[1]).toMatchObject({ name: "browse", description: "overridden" });
  });

  test("tells what the config says of a tool rather than the store, as a call would", async () => {
    const own = `store: "toolrig.db", descriptions: { version: 1, get: () => "the config's" } as never, capabilities:`;
    const described = project({ "toolrig.config.ts": config.replace("capabilities:", own) });
    const store = openStore(join(described, "toolrig.db"));
    store.descriptions.set("browse", "the store's");
    store.close();
    const { stdout } = await toolrig(["tools", "--json"], { cwd: described });
    expect(JSON.parse(stdout)[1]).toMatchObject({ name: "browse", description: "the config's" });
  });

  test("prints definitions with availability as JSON", async () => {
    const { code, stdout } = await toolrig(["tools", "--json"], { cwd });
    expect(code).toBe(0);
    const [oracle, , note] = JSON.parse(stdout);
    expect(oracle).toMatchObject({ name: "ask_oracle", available: false, reason: "no API key" });
    expect(note).toMatchObject({
      name: "write_note",
      version: "1.2.0",
      description: "Write a note",
      inputSchema: { type: "object" },
      provider: "local",
      type: "function",
      safety: { sideEffects: "write", idempotent: true, requires: [] },
      available: true,
    });
    expect(note).not.toHaveProperty("reason");
  });
});
