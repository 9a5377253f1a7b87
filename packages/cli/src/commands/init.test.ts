import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { inTurn, project, toolrig } from "../../test/toolrig-process.ts";

const GREETED = ["call", "greet", '{"name": "Ada"}'];

describe.concurrent("toolrig init", () => {
  test.each([
    ["as npm init -y makes it", `{ "type": "commonjs" }`, [], "mts"],
    ["of modules", `{ "type": "module" }`, [], "ts"],
    ["of modules, in JavaScript", `{ "type": "module" }`, ["--js"], "js"],
    ["that says nothing, in JavaScript", "{}", ["--js"], "mjs"],
  ])("writes what runs to a package %s", async (_, content, options, ending) => {
    const cwd = project({ "package.json": content });
    const [written, called, checked] = await inTurn([["init", ...options], GREETED, ["doctor"]], { cwd });
    expect(written).toMatchObject({
      code: 0,
      stdout: ["toolrig.config", "tools/greet", "tools/greet.test"]
        .map((name) => `${name}.${ending}\n`)
        .concat(".toolrig/.gitignore\n")
        .join(""),
    });
    expect(written!.stderr).toContain(`node --test tools/greet.test.${ending}`);
    expect(written!.stderr).not.toContain("npm install");
    expect(called).toEqual({ code: 0, stdout: "Hello, Ada!\n", stderr: "" });
    expect(checked!.code).toBe(0);
    const node = [
      "--conditions=@toolrig/source",
      "--test",
      "--test-reporter=tap",
      `tools/greet.test.${ending}`,
    ];
    // A test that runs within another has its results to tell it, not us.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    const { stdout } = await promisify(execFile)(process.execPath, node, { cwd, env });
    expect(stdout).toContain("# pass 2");
  });

  test("writes over nothing unless it is told to", async () => {
    const cwd = project({ "package.json": `{ "type": "module" }`, "tools/greet.ts": "mine" });
    const refused = await toolrig(["init"], { cwd });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`Nothing was written, since there is ${join(cwd, "tools/greet.ts")}`);
    expect(existsSync(join(cwd, "toolrig.config.ts"))).toBe(false);
    expect((await toolrig(["init", "--force"], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, "tools/greet.ts"), "utf8")).toContain("Greet somebody");
    writeFileSync(join(cwd, "package.json"), "{}");
    const [beside, inside] = await inTurn(
      [
        ["init", "--force"],
        ["init", "below"],
      ],
      { cwd },
    );
    expect(beside).toMatchObject({ code: 2, stderr: expect.stringContaining("Remove it first") });
    expect(inside).toMatchObject({ code: 0, stdout: expect.stringContaining("below/toolrig.config.mts\n") });
  });

  test("says what to install where that is missing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-"));
    try {
      const { code, stderr } = await toolrig(["init"], { cwd: folder });
      expect({ code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("npm install toolrig"),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
