import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { inTurn, project, toolrig } from "../../test/toolrig-process.ts";

const config = `
  import { appendFileSync } from "node:fs";
  import { defineConfig, tool } from "toolrig";
  const spec = { description: "Does it", input: { type: "object" } };
  const did = (what) => { appendFileSync("effects", what + "\\n"); return what; };
  const tools = [
    tool({ ...spec, name: "pay", approval: true, execute: () => did("paid") }),
    tool({ ...spec, name: "note", execute: () => did("noted") }),
  ];
  export default defineConfig({ tools, store: "toolrig.db" });
`;

test("a script that waits is left, and goes on in the process that approves", async () => {
  const cwd = project({
    "toolrig.config.ts": config,
    "script.ts":
      "const a: string = await tools.note({});\\nconsole.log(a);\\nreturn [a, await tools.pay({})];".replaceAll(
        "\\n",
        "\n",
      ),
  });
  const left = await toolrig(["code", "script.ts", "--detach", "--execution", "exec_1"], { cwd });
  expect(left).toMatchObject({ code: 0, stdout: "" });
  expect(left.stderr).not.toMatch(/run_code waits/);
  const [, id = ""] = /toolrig approvals approve (\S+)/.exec(left.stderr) ?? [];
  expect((await toolrig(["approvals", "approve", id], { cwd })).code).toBe(0);
  const over = await toolrig(["code", "script.ts", "--execution", "exec_1", "--json"], { cwd });
  expect(JSON.parse(over.stdout)).toMatchObject({ value: ["noted", "paid"] });
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("noted\npaid\n");
});

test("types are printed for an editor, and a script that cannot run exits with its code", async () => {
  const cwd = project({ "toolrig.config.ts": config, "wrong.ts": "const a = ;" });
  expect((await toolrig(["code", "--types"], { cwd })).stdout).toContain(
    "note(args?: Record<string, unknown>): Promise<any>;",
  );
  const wrong = await toolrig(["code", "wrong.ts"], { cwd });
  expect(wrong.stderr).toMatch(/The script was not run:\nline 1/);
  expect(wrong.code).toBe(11);
  expect((await toolrig(["code"], { cwd })).code).toBe(2);
});

test("--types with a FILE runs nothing, and --check holds where the config has code", async () => {
  const cwd = project({
    "toolrig.config.ts": config.replace("tools, store", "tools, code: { name: 'script' }, store"),
    "script.ts": "const a: number = 'text';\nreturn tools.note({});",
  });
  symlinkSync(
    dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))),
    join(cwd, "node_modules/typescript"),
  );
  const [types, checked] = await inTurn(
    [
      ["code", "script.ts", "--types"],
      ["code", "script.ts", "--check"],
    ],
    { cwd },
  );
  expect(types).toMatchObject({ code: 0, stdout: expect.stringContaining("note(args?") });
  expect(checked).toMatchObject({ code: 11, stderr: expect.stringMatching(/line 1: Type 'string'/) });
  expect(existsSync(join(cwd, "effects"))).toBe(false);
});

test("a script is run by what runs scripts, not by a tool that has that name", async () => {
  const own = `tool({ ...spec, name: "run_code", execute: () => did("mine") }),`;
  const cwd = project({
    "toolrig.config.ts": config.replace("const tools = [", `const tools = [${own}`),
    "script.ts": "return 1;",
  });
  const { code, stderr } = await toolrig(["code", "script.ts"], { cwd });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("run_code") });
  expect((await toolrig(["cancel", "nothing"], { cwd })).code).toBe(12);
  expect(existsSync(join(cwd, "effects"))).toBe(false);
});
