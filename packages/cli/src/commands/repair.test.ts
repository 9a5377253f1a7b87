import { describe, expect, test } from "vitest";
import { project, toolrig } from "../../test/toolrig-process.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";

const schema = { type: "object", properties: { days: { type: "integer" } }, required: ["days"] };
const cwd = project({ "schema.json": JSON.stringify(schema), "list.json": "[]", "broken.json": "{" });

describe.concurrent("toolrig repair", () => {
  test("prints the repaired value, and only that, when piped", async () => {
    const outcome = await toolrig(["repair"], { cwd, input: `{city: 'Paris', days: 3,}` });
    expect(outcome).toEqual({ code: 0, stdout: '{"city":"Paris","days":3}\n', stderr: "" });
  });

  test("shows what was changed, and where", async () => {
    const input = `{\n  'city': "Paris",\n  "days": 3,\n}`;
    const { stdout, stderr } = await toolrig(["repair", "--verbose"], { cwd, input });
    expect(JSON.parse(stdout)).toEqual({ city: "Paris", days: 3 });
    expect(stderr).toMatch(/^repaired, 2 changes$/m);
    expect(stderr).toMatch(/^ +2:3 +quote +- ' +\+ "$/m);
    expect(stderr).toMatch(/^ +3:12 +trailing-comma +- ,$/m);
  });

  test("prints value, mode and changes as JSON", async () => {
    const { code, stdout } = await toolrig(["repair", "--json"], { cwd, input: `{"a": [1, 2` });
    expect(code).toBe(0);
    const decoded = JSON.parse(stdout);
    expect(decoded).toMatchObject({ ok: true, mode: "partial" });
    expect(decoded.repairs.length).toBeGreaterThan(0);
  });

  test("leaves valid JSON as it is", async () => {
    const { stdout, stderr } = await toolrig(["repair", "-v"], { cwd, input: `{"__proto__": 1, "a": "'"}` });
    expect(stdout).toBe(`{"__proto__":1,"a":"'"}\n`);
    expect(stderr).toBe("valid as written\n");
  });

  test("with a schema gives the value that matches it", async () => {
    const { code, stdout } = await toolrig(["repair", "--schema", "schema.json", "--json"], {
      cwd,
      input: `{"days": "3"}`,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      value: { days: 3 },
      mode: "repaired",
      repairs: [{ path: "/days" }],
    });
  });

  test("fails for what does not match the schema, naming the field", async () => {
    const { code, stdout, stderr } = await toolrig(["repair", "--schema", "schema.json"], {
      cwd,
      input: `{days: soon}`,
    });
    expect({ code, stdout }).toEqual({ code: EXIT_CODE.validation, stdout: "" });
    expect(stderr).toMatch(/does not match the schema:\n.*days/);
  });

  test("prints nothing, rather than a part, of a value that is nested too deeply", async () => {
    const { code, stdout, stderr } = await toolrig(["repair"], {
      cwd,
      input: "[".repeat(50_000) + "]".repeat(50_000),
    });
    expect({ code, stdout }).toEqual({ code: EXIT_CODE.validation, stdout: "" });
    expect(stderr).toContain("nested too deeply");
  });

  test("fails for text without JSON", async () => {
    const [plain, json] = await Promise.all([
      toolrig(["repair"], { cwd, input: "" }),
      toolrig(["repair", "--json"], { cwd, input: "" }),
    ]);
    expect(plain).toMatchObject({ code: EXIT_CODE.validation, stdout: "" });
    expect(plain.stderr).toContain("got nothing");
    expect(json.code).toBe(EXIT_CODE.validation);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      failure: { code: "TOOL_ARGUMENTS_INVALID_JSON" },
    });
  });

  test.each([
    ["missing.json", "--schema must be a readable file"],
    ["broken.json", "--schema must be a JSON file; broken.json"],
    ["list.json", "--schema must be a JSON Schema"],
  ])("exits 2 for --schema %s", async (file, problem) => {
    const { code, stderr } = await toolrig(["repair", "--schema", file], { cwd, input: "{}" });
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});
