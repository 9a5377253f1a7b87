import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configOf, project, toolrig } from "../../test/toolrig-process.ts";

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
    ]);
  });

  test("exits 1 and says what is wrong with a config that does not load", async () => {
    const cwd = project({ "toolrig.config.json": `{ "tool": [] }` });
    const { code, stdout } = await toolrig(["doctor"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}config: .*"tool" is not a setting. Did you mean "tools"\?$/m);
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
});
