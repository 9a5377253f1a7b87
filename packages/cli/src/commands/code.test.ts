import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { project, toolrig } from "../../test/toolrig-process.ts";

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
}, 60_000);

test("types are printed for an editor, and a script that cannot run exits with its code", async () => {
  const cwd = project({ "toolrig.config.ts": config, "wrong.ts": "const a = ;" });
  expect((await toolrig(["code", "--types"], { cwd })).stdout).toContain(
    "note(args?: Record<string, unknown>): Promise<any>;",
  );
  const wrong = await toolrig(["code", "wrong.ts"], { cwd });
  expect(wrong.stderr).toMatch(/The script was not run:\nline 1/);
  expect(wrong.code).toBe(11);
  expect((await toolrig(["code"], { cwd })).code).toBe(2);
}, 60_000);
