import { describe, expect, test } from "vitest";
import { configOf, project, toolrig } from "../../test/toolrig-process.ts";

const parameters = { type: "object", properties: { city: { type: "string" } } };
const cwd = project({
  "toolrig.config.ts": configOf(
    `tool({ name: "get_time", description: "Time", input: any, execute: () => 1 })`,
  ),
  "own.json": JSON.stringify([{ name: "get_weather", description: "Weather", inputSchema: parameters }]),
  "openai.json": JSON.stringify({
    tools: [{ type: "function", function: { name: "get_weather", parameters } }],
  }),
  "anthropic.json": JSON.stringify([{ name: "get_weather", input_schema: parameters }]),
  "none.json": "[]",
  "odd.json": JSON.stringify([{ name: "get_weather" }, "get_time"]),
});
const answer = `Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n`;

describe.concurrent("toolrig extract", () => {
  test("says why there is no call where the text has one of an unknown tool", async () => {
    const { code, stdout, stderr } = await toolrig(["extract"], { cwd, input: answer });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toBe(
      'No call of a known tool is in it. "get_weather" is not a known tool. Known: get_time.\n',
    );
  });

  test.each(["own.json", "openai.json", "anthropic.json"])(
    "prints a line for each call of the tools in %s",
    async (file) => {
      const { code, stdout, stderr } = await toolrig(["extract", "--tools", file], { cwd, input: answer });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const calls = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(calls).toMatchObject([{ name: "get_weather", family: "hermes", complete: true }]);
      expect(JSON.parse(calls[0].arguments)).toEqual({ city: "Oslo" });
    },
  );

  test("prints calls and the text around them as JSON", async () => {
    const { stdout } = await toolrig(["extract", "--tools", "own.json", "--json"], { cwd, input: answer });
    const { calls, content } = JSON.parse(stdout);
    expect(calls).toHaveLength(1);
    expect(content.trim()).toBe("Let me look.");
  });

  test("knows the configured tools, and only calls of tools that exist", async () => {
    const known = answer.replace("get_weather", "get_time");
    const [time, weather] = await Promise.all([
      toolrig(["extract", "--json"], { cwd, input: known }),
      toolrig(["extract", "--json"], { cwd, input: answer }),
    ]);
    expect(JSON.parse(time.stdout).calls).toMatchObject([{ name: "get_time" }]);
    expect(JSON.parse(weather.stdout).calls).toEqual([]);
    expect(weather.code).toBe(0);
  });

  test("reads only the family that was asked for", async () => {
    const args = ["extract", "--tools", "own.json", "--family"];
    const [pinned, other, unknown] = await Promise.all([
      toolrig([...args, "hermes"], { cwd, input: answer }),
      toolrig([...args, "mistral"], { cwd, input: answer }),
      toolrig([...args, "martian"], { cwd, input: answer }),
    ]);
    expect(pinned.stdout).toContain("get_weather");
    expect(other.stdout).toBe("");
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain('"martian" is not an extraction family');
  });

  test.each([
    ["none.json", "no tool is known"],
    ["odd.json", "--tools: entry 1 must be a tool definition with a name"],
  ])("exits 2 for --tools %s", async (file, problem) => {
    const { code, stderr } = await toolrig(["extract", "--tools", file], { cwd, input: answer });
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});
