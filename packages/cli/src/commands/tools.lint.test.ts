import { describe, expect, test } from "vitest";
import { configOf, project, toolrig } from "../../test/toolrig-process.ts";

const config = configOf(`
  tool({ name: "process", description: "Process", input: { type: "object", properties: { data: {}, path: { type: "string", format: "uri" } } },
    execute: () => 1 }),
  tool({ name: "find_invoice", description: "Find an invoice of a customer by its number", safety: { sideEffects: "read" }, execute: () => 1,
    input: { type: "object", properties: { number: { type: "string", minLength: 3, description: "As printed on it" } }, required: ["number"] } }),
  tool({ name: "invoice_find", description: "Find an invoice of a customer by its date", safety: { sideEffects: "read" }, execute: () => 1,
    input: { type: "object", properties: { date: { type: "string", description: "When it was sent" } }, required: ["date"] } }),
`);
const good = configOf(`
  tool({ name: "find_invoice", description: "Find an invoice of a customer by its number", safety: { sideEffects: "read" }, execute: () => 1,
    input: { type: "object", properties: { number: { type: "string", description: "As printed on it" } }, required: ["number"] } }),
`);

describe.concurrent("toolrig tools lint", () => {
  test("says what a model will stumble over, and exits with 1", async () => {
    const cwd = project({ "toolrig.config.ts": config });
    const { code, stdout } = await toolrig(["tools", "lint", "--json"], { cwd });
    expect(code).toBe(1);
    const findings: { tool?: string; rule: string; level: string; path?: string; vendor?: string }[] =
      JSON.parse(stdout);
    const warnings = findings.filter(({ level }) => level === "warning");
    expect(warnings.map(({ tool, rule, path }) => [tool, rule, path])).toEqual([
      ["find_invoice", "ambiguous-pair", undefined],
      ["process", "vague-name", undefined],
      ["process", "vague-description", undefined],
      ["process", "vague-parameter", "/properties/data"],
      ["process", "undescribed-parameter", "/properties/path"],
      ["process", "undeclared-safety", undefined],
    ]);
    const lost = findings.filter(({ rule }) => rule === "lost-for-vendor");
    expect(lost.map(({ tool, vendor, path }) => [tool, vendor, path])).toEqual([
      ["find_invoice", "openai strict", "/properties/number/minLength"],
      ["process", "openai strict", "/properties/data"],
      ["process", "openai strict", "/properties/data"],
      ["process", "openai strict", "/properties/path/format"],
      ["process", "gemini", "/properties/data"],
      ["process", "gemini", "/properties/path/format"],
    ]);
  });

  test("has nothing to warn of where all is said, and tells the size", async () => {
    const cwd = project({ "toolrig.config.ts": good });
    const { code, stdout } = await toolrig(["tools", "lint"], { cwd });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^note\t\tlarge-definition\t\t\tThe definition has \d+ characters\.\n$/),
    ]);
  });

  test("has nothing to warn of in Toolrig's own tools", async () => {
    const cwd = project({
      "toolrig.config.ts": configOf(
        '...toolkit({ root: "." })',
        'dynamicTools: true, code: true, mcpTools: true, store: "toolrig.db"',
      ).replace("import {", "import { toolkit,"),
    });
    const { code, stdout, stderr } = await toolrig(["tools", "lint", "--json"], { cwd });
    expect(stderr).not.toContain("could not");
    const findings: { level: string }[] = JSON.parse(stdout);
    expect(findings.filter(({ level }) => level === "warning")).toEqual([]);
    expect(code).toBe(0);
  });

  test("knows no other action", async () => {
    const { code, stderr } = await toolrig(["tools", "lnt"], { cwd: project({ "toolrig.config.ts": good }) });
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('Did you mean "lint"')]);
    expect(code).not.toBe(0);
  });
});
