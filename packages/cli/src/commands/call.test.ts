import { describe, expect, test } from "vitest";
import { configOf, finished, inTurn, project, start, toolrig } from "../../test/toolrig-process.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";

const input = `{ type: "object", properties: { name: { type: "string" }, times: { type: "integer" }, password: { type: "string" } }, required: ["name"] }`;

const config = configOf(
  `
  tool({ name: "greet", version: "1.0.0", description: "Greet", input: ${input}, safety: safe,
    execute: ({ name, times = 1 }, context) => {
      context.update({ content: "warming up", progress: 0.5 });
      return Array(times).fill("Hello, " + name).join(" ");
    } }),
  tool({ name: "greet", version: "2.0.0", description: "Greet", input: ${input}, safety: safe,
    execute: ({ name }) => "Good day, " + name }),
  tool({ name: "whoami", description: "Tell the call's id", input: any, safety: safe, execute: (_, { callId }) => callId }),
  tool({ name: "broken", description: "Broken", input: any, execute: () => { throw new Error("it broke"); } }),
  tool({ name: "secret", description: "Secret", input: any, execute: () => denied("not for you") }),
  tool({ name: "away", description: "Away", input: any, available: () => "no API key", execute: () => 1 }),
  tool({ name: "flaky", description: "Flaky", input: any, execute: () => transient("try later") }),
  tool({ name: "endless", description: "Endless", timeout: "1h", input: any, safety: safe, execute: (_, context) => {
      context.update("started");
      return new Promise(() => setInterval(() => {}, 1_000));
    } }),
  tool({ name: "circular", description: "Circular", input: any, safety: safe,
    execute: () => { const value: Record<string, unknown> = { big: 10n }; value.self = value; return value; } }),
  tool({ name: "picture", description: "Picture", input: any, safety: safe,
    execute: () => result({ content: [{ type: "text", text: "a dot" }, { type: "image", data: "AAAA", mimeType: "image/png" }] }) }),
  tool({ name: "hidden", description: "Not in the allowlist", input: any, safety: safe, execute: () => 1 }),
  `,
  `allow: ["greet", "whoami", "broken", "secret", "away", "flaky", "endless", "circular", "picture"]`,
);
const cwd = project({ "toolrig.config.ts": config });

describe.concurrent("toolrig call", () => {
  test("prints the content, and only that, when piped", async () => {
    const outcome = await toolrig(["call", "greet@1", '{"name": "Ada", "times": 2}'], { cwd });
    expect(outcome).toEqual({ code: 0, stdout: "Hello, Ada Hello, Ada\n", stderr: "" });
  });

  test("reads arguments from standard input and repairs them", async () => {
    const { code, stdout, stderr } = await toolrig(["call", "greet@^1.0", "-", "--verbose"], {
      cwd,
      input: `{name: 'Ada', "times": "2",}`,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello, Ada Hello, Ada\n" });
    expect(stderr).toMatch(/repaired +unquoted-key at 1/);
    expect(stderr).toMatch(/update +50% warming up/);
    expect(stderr).toMatch(/ok +Hello, Ada Hello, Ada/);
  });

  test("prints the whole result as it is with --json", async () => {
    const { code, stdout, stderr } = await toolrig(
      ["call", "greet", '{"name": "Ada"}', "--json", "--id", "c7"],
      { cwd },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      callId: "c7",
      name: "greet",
      isError: false,
      content: [{ type: "text", text: "Good day, Ada" }],
      decoded: { mode: "strict", repairs: [] },
      attempts: 1,
    });
  });

  test("gives the call a new id by default", async () => {
    const [one, two] = await Promise.all([
      toolrig(["call", "whoami"], { cwd }),
      toolrig(["call", "whoami"], { cwd }),
    ]);
    expect(one.stdout).toMatch(/\S/);
    expect(one.stdout).not.toBe(two.stdout);
  });

  test("exits with the code of the failure's kind", async () => {
    const calls = [
      ["fatal", ["broken"], "TOOL_EXECUTION_FAILED (fatal): it broke"],
      ["validation", ["greet", '{"times": "often"}'], "name"],
      ["validation", ["greet", "no json at all"], "TOOL_ARGUMENTS_INVALID_JSON"],
      ["validation", ["greet@latest!", "{}"], "is not a version range"],
      ["not_found", ["great", "{}"], "Did you mean greet"],
      ["not_found", ["greet@3", "{}"], "There is: 2.0.0, 1.0.0"],
      ["denied", ["secret"], "not for you"],
      ["denied", ["hidden"], "TOOL_NOT_ALLOWED"],
      ["unavailable", ["away"], "no API key"],
      ["transient", ["flaky"], "try later"],
      ["timeout", ["endless", "--timeout", "100ms"], "took longer than 100ms"],
    ] as const;
    const outcomes = await inTurn(
      calls.map(([, args]) => ["call", ...args]),
      { cwd },
    );
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      const [kind, args, message] = calls[index]!;
      expect({ args, code, stdout }).toEqual({ args, code: EXIT_CODE[kind], stdout: "" });
      expect(stderr).toContain(message);
    }
  });

  test("prints failures and values that JSON cannot hold as JSON, and leaves to it what is not text", async () => {
    const [broken, circular, picture] = await inTurn(
      [
        ["call", "broken", "--json"],
        ["call", "circular", "--json"],
        ["call", "picture"],
      ],
      { cwd },
    );
    expect(broken?.code).toBe(EXIT_CODE.fatal);
    expect(JSON.parse(broken!.stdout).failure).toMatchObject({ kind: "fatal", message: "it broke" });
    expect(circular?.code).toBe(0);
    expect(JSON.parse(circular!.stdout).value).toEqual({ big: "10", self: "[circular]" });
    expect(picture).toMatchObject({ stdout: "a dot\n", stderr: expect.stringContaining("image/png") });
  });

  test("cancels the call on Ctrl-C and still prints its result", async () => {
    const child = start(["call", "endless", "--json", "--verbose"], { cwd });
    child.stderr!.on("data", (chunk) => String(chunk).includes("started") && child.kill("SIGINT"));
    const { code, stdout } = await finished(child);
    expect(code).toBe(EXIT_CODE.cancelled);
    expect(JSON.parse(stdout).failure.code).toBe("TOOL_CANCELLED");
  });

  test("gives up a wait for approval after --timeout, so that a script does not hang", async () => {
    const asks = configOf(
      `tool({ name: "asks", description: "Asks", input: any, safety: safe, approval: true, execute: () => "ran" })`,
      `store: "asks.db"`,
    );
    const outcome = await toolrig(["call", "asks", "{}", "--timeout", "200ms"], {
      cwd: project({ "toolrig.config.ts": asks }),
    });
    expect(outcome).toMatchObject({ code: EXIT_CODE.cancelled, stdout: "" });
    expect(outcome.stderr).toContain("asks waited for longer than 200ms and is cancelled.");
  });

  test("names the execution of whose outcome nobody knows", async () => {
    const lost = configOf(
      `tool({ name: "lost", description: "Lost", input: any,
        execute: () => { throw failure({ kind: "unknown", message: "the line broke" }); } })`,
    ).replace("import {", "import { failure,");
    const { stderr } = await toolrig(["call", "lost"], { cwd: project({ "toolrig.config.ts": lost }) });
    expect(stderr).toMatch(
      /It is execution exec_\S+\. See whether it happened before it is called again\.\n$/,
    );
  });

  test.each([
    ["call", "greet", '{"name": "Ada", "name": "Eve"}'],
    ["complete", "exec_1", '{"a": 1, "a": 2}'],
    ["answer", "exec_1", '{"to": "ada", "\\u0074o": "eve"}'],
  ])("%s refuses a name twice in one object", async (...words) => {
    const stored = configOf("", `store: "toolrig.db"`);
    const outcome = await toolrig(words, { cwd: project({ "toolrig.config.ts": stored }) });
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("twice in one object");
  });

  test("a config in JSON with a name twice, or with a number that would become another, is refused", async () => {
    for (const text of ['{"timeout": "1s", "timeout": "2s"}', '{"timeout": 9007199254740993}']) {
      const outcome = await toolrig(["tools"], { cwd: project({ "toolrig.config.json": text }) });
      expect(outcome).toMatchObject({ code: 2, stdout: "" });
      expect(outcome.stderr).toMatch(/twice in one object|would become 9007199254740992/);
    }
  });

  test("shows no secrets and no control characters as progress", async () => {
    const args = JSON.stringify({ name: "\u001b[2J", password: "open sesame" });
    const { stdout, stderr } = await toolrig(["call", "greet@1", args, "--verbose"], { cwd });
    expect(stdout).toBe("Hello, \u001b[2J\n");
    expect(stderr).not.toContain("\u001b");
    expect(stderr).not.toContain("sesame");
    expect(stderr).toMatch(/attempt .*"password":"\[redacted\]"/);
  });
});
