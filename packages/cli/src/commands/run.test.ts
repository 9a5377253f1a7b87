import { mkdirSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configOf, finished, inTurn, project, start, toolrig } from "../../test/toolrig-process.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";

const config = configOf(
  `
  tool({ name: "add", description: "Add", safety: safe, execute: ({ a, b }) => a + b,
    input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] } }),
  tool({ name: "broken", description: "Broken", input: any, execute: () => { throw new Error("it broke"); } }),
  tool({ name: "endless", description: "Endless", input: any, safety: safe, execute: (_, { update }) => {
      update("started");
      return new Promise(() => setInterval(() => {}, 1_000));
    } }),
  tool({ name: "stubborn", description: "Stubborn", input: any, safety: safe, execute: (_, { update }) => {
      process.once("SIGINT", () => { console.error("busy"); const until = Date.now() + 10_000; while (Date.now() < until); });
      update("started");
      return new Promise(() => setInterval(() => {}, 1_000));
    } }),
  tool({ name: "hidden", description: "Hidden", input: any, safety: safe, execute: () => 1 }),
  `,
  `allow: ["add", "broken", "endless", "stubborn"], system: "Be brief."`,
);
const script = JSON.stringify([
  {
    text: "Let me add. ",
    calls: [{ name: "add", arguments: "{a: 1, b: '2',}" }, { name: "broken" }, { name: "hidden" }],
  },
  "It is 3.",
]);
const cwd = project({
  "toolrig.config.ts": config,
  "script.json": script,
  "short.json": '[{ "calls": [{ "name": "add", "arguments": { "a": 1, "b": 2 } }] }]',
  "forever.json": JSON.stringify(Array(30).fill({ calls: [{ name: "add", arguments: { a: 1, b: 1 } }] })),
  "endless.json": JSON.stringify([{ calls: [{ name: "endless" }] }]),
  "stubborn.json": JSON.stringify([{ calls: [{ name: "stubborn" }] }]),
});

describe.concurrent("toolrig run", () => {
  test("streams the text to stdout and a line for each call to stderr", async () => {
    const { code, stdout, stderr } = await toolrig(["run", "Add", "--model", "script:script.json"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Let me add. \nIt is 3.\n" });
    const [add, broken, hidden, ...rest] = stderr.trimEnd().split("\n");
    expect(add).toMatch(/^ok +add \{a: 1, b: '2',\} \[repaired: unquoted-key at 1, .*\] → 3 \([\d.]+m?s\)$/);
    expect(broken).toMatch(/^fatal +broken \{\} → TOOL_EXECUTION_FAILED: it broke/);
    expect(hidden).toMatch(/^denied +hidden .*TOOL_NOT_ALLOWED/);
    expect(rest).toEqual([]);
  });

  test("prints all that happens as lines of JSON with --events, the outcome last", async () => {
    const args = ["run", "Add", "--model", "script:script.json", "--events"];
    const { code, stdout, stderr } = await toolrig(args, { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === "call.end").map(({ name }) => name)).toEqual([
      "add",
      "broken",
      "hidden",
    ]);
    expect(events.at(-1)).toMatchObject({
      type: "run.end",
      outcome: { status: "answered", text: "It is 3." },
    });
  });

  test("prints the outcome as JSON", async () => {
    const { code, stdout } = await toolrig(["run", "-", "-m", "script:script.json", "--json"], {
      cwd,
      input: "Add",
    });
    expect(code).toBe(0);
    const outcome = JSON.parse(stdout);
    expect(outcome).toMatchObject({ status: "answered", text: "It is 3.", calls: 3, turns: 2 });
    expect(outcome.messages[0]).toEqual({ role: "user", content: "Add" });
  });

  test("shows all events with --verbose, offers the tools that are asked for, and tells by its code how it ended", async () => {
    const [verbose, limited, short, endless] = await inTurn(
      [
        ["-m", "script:script.json", "-v"],
        ["-m", "script:script.json", "--tools", "broken"],
        ["-m", "script:short.json"],
        ["-m", "script:forever.json", "--max-iterations", "2"],
      ].map((args) => ["run", "Add", ...args]),
      { cwd },
    );
    expect(verbose?.stderr).toMatch(/attempt +1 with \{"a":1,"b":2\}\n/);
    expect(limited?.stderr).toMatch(/^denied +add /m);
    expect(short).toMatchObject({
      code: EXIT_CODE.fatal,
      stderr: expect.stringContaining("The script has no reply 2: it ends after 1"),
    });
    expect(endless).toMatchObject({
      code: EXIT_CODE.budget,
      stderr: expect.stringContaining("ORCHESTRATION_ITERATION_LIMIT"),
    });
  });

  test("ends cleanly on Ctrl-C, with the call answered", async () => {
    const child = start(["run", "Wait", "-m", "script:endless.json", "--json", "--verbose"], { cwd });
    child.stderr!.on("data", (chunk) => String(chunk).includes("started") && child.kill("SIGINT"));
    const { code, stdout, stderr } = await finished(child);
    expect(code).toBe(EXIT_CODE.cancelled);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "aborted",
      error: { code: "CANCELLED_SIGNAL" },
      calls: 1,
    });
    expect(stderr).toContain("Ending the run; again to quit at once.");
  });

  test("is gone after a second Ctrl-C, whatever a tool does", async () => {
    const child = start(["run", "Wait", "-m", "script:stubborn.json", "--verbose"], { cwd });
    const exit = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
    child.stderr!.on("data", (chunk) => {
      if (/started|busy/.test(String(chunk))) child.kill("SIGINT");
    });
    expect(await exit).toBe("SIGINT");
  });

  test("exits 2 and says what is wrong for a wrong command line", async () => {
    const wrong = [
      [[], "No model: give --model PROVIDER:MODEL"],
      [["--model", "gpt-5"], '--model must be PROVIDER:MODEL, such as openai:gpt-5; got "gpt-5"'],
      [["--model", "opnai:gpt-5"], 'There is no provider "opnai". Did you mean "openai"?'],
      [["--model", "anthropic:claude"], "which is not installed here. Run: npm install @ai-sdk/anthropic"],
      [["--model", "script:nowhere.json"], "must be a readable file"],
      [["--model", "script:script.json", "--tools", "ad"], 'got "ad". Did you mean "add"?'],
      [["--model", "script:script.json", "--tools", "hidden"], 'got "hidden"'],
      [
        ["--model", "script:script.json", "--max-iterations", "few"],
        "--max-iterations must be a whole number",
      ],
    ] as const;
    const outcomes = await inTurn(
      wrong.map(([args]) => ["run", "Add", ...args]),
      { cwd },
    );
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(wrong[index]![1]);
    }
  });
});

describe("toolrig run with a provider", () => {
  const installed = project({ "toolrig.config.ts": config });
  mkdirSync(join(installed, "node_modules", "@ai-sdk"));
  const modules = join(import.meta.dirname, "..", "..", "..", "..", "node_modules", "@ai-sdk");
  for (const name of ["openai", "openai-compatible"])
    symlinkSync(join(modules, name), join(installed, "node_modules", "@ai-sdk", name));

  let server: Server;
  let url: string;
  const requests: {
    url: string;
    key: string | undefined;
    body: { messages: { role: string; content: string }[] };
  }[] = [];
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const body = JSON.parse(await text(request));
      requests.push({ url: request.url!, key: request.headers.authorization, body });
      response.setHeader("content-type", "text/event-stream");
      const answered = body.messages.some((message: { role: string }) => message.role === "tool");
      for (const delta of answered ? ANSWER : CALL)
        response.write(`data: ${JSON.stringify(chunk(delta))}\n\n`);
      response.end("data: [DONE]\n\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => server.close());

  test.each(["openai", "openai-compatible"])(
    "%s talks to the server at OPENAI_BASE_URL",
    async (provider) => {
      requests.length = 0;
      const env = { OPENAI_BASE_URL: url, OPENAI_API_KEY: "key-1" };
      const { code, stdout, stderr } = await toolrig(["run", "Add 1 and 2", "--model", `${provider}:local`], {
        cwd: installed,
        env,
      });
      expect({ code, stdout }).toEqual({ code: 0, stdout: "It is 3.\n" });
      expect(stderr).toMatch(/^ok +add /);
      expect(requests.map((each) => [each.url, each.key])).toEqual(
        Array(2).fill(["/v1/chat/completions", "Bearer key-1"]),
      );
      expect(requests[0]!.body.messages.slice(0, 2)).toMatchObject([
        { content: "Be brief." },
        { content: "Add 1 and 2" },
      ]);
    },
  );

  test("says which variable is missing", async () => {
    const [openai, compatible] = await inTurn(
      ["openai:gpt-5", "openai-compatible:x"].map((model) => ["run", "Hi", "-m", model]),
      { cwd: installed },
    );
    expect(openai!.stderr).toContain("openai models need OPENAI_API_KEY in the environment.");
    expect(compatible!.stderr).toContain("openai-compatible models need OPENAI_BASE_URL");
  });

  test("exits with the code of transient when there is no server, after trying again", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const env = { OPENAI_BASE_URL: `http://127.0.0.1:${(closed.address() as AddressInfo).port}/v1` };
    await new Promise((resolve) => closed.close(resolve));
    const { code, stderr } = await toolrig(["run", "Hi", "-m", "openai:x"], { cwd: installed, env });
    expect(code).toBe(EXIT_CODE.transient);
    expect(stderr).toContain("The model failed (network");
  });
});

const chunk = (choice: object) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [choice],
});
const CALL = [
  {
    index: 0,
    delta: {
      role: "assistant",
      tool_calls: [
        {
          index: 0,
          id: "call_1",
          type: "function",
          function: { name: "add", arguments: '{"a": 1, "b": 2}' },
        },
      ],
    },
  },
  { index: 0, delta: {}, finish_reason: "tool_calls" },
];
const ANSWER = [
  { index: 0, delta: { role: "assistant", content: "It is " } },
  { index: 0, delta: { content: "3." } },
  { index: 0, delta: {}, finish_reason: "stop" },
];
