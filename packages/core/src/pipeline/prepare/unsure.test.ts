import { describe, expect, test } from "vitest";
import { Executor, type ExecutorOptions, tool } from "../../index.ts";

const input = {
  type: "object",
  properties: {
    path: { type: "string" },
    content: { type: "string" },
    dry_run: { type: "boolean" },
    options: { type: "object", properties: { keep_backup: { type: "boolean" } } },
  },
} as const;

function setUp(options: ExecutorOptions = {}) {
  const ran: unknown[] = [];
  const note = (args: unknown) => {
    ran.push(args);
    return "done";
  };
  const write = tool({
    name: "write_file",
    description: "Write",
    input,
    safety: { sideEffects: "write", idempotent: true },
    execute: note,
  });
  const read = tool({
    name: "read_file",
    description: "Read",
    input,
    safety: { sideEffects: "read" },
    execute: note,
  });
  const copy = tool({
    name: "plan_copy",
    description: "Reads, and lets another tool write",
    input,
    safety: { sideEffects: "read" },
    execute: async (args, { call }) => (await call("write_file", args)).failure?.code ?? "wrote",
  });
  const executor = new Executor({ tools: [write, read, copy], ...options });
  return { ran, call: (name: string, args: unknown) => executor.call({ id: "c", name, arguments: args }) };
}

/** Reads as a document in which the string ended early and the rest is thrown away. */
const LOSSY = `{"path": "t.ts", "content": "parse(text, "}", () => { next(); });"}`;
/** Reads as a document whose string lacks its quote. */
const GUESS = `{"path": "a", "content": "one, "dry_run": true}`;
const CUT = `{"path": "main.c", "content": "int f(void) { return 1; }`;

describe("a tool that writes", () => {
  test.each([
    ["what was cut off inside a string, behind a closing bracket", CUT, "lossy"],
    ["what was lost behind an early end", LOSSY, "lossy"],
    ["where a string ends", GUESS, "guess"],
    ["two documents", `{"path": "a", "content": "1"} {"path": "a", "content": "2"}`, "lossy"],
    ["a key that was meant to be another", { path: "a", dryrun: true }, "guess"],
    ["a key that was meant to be another, in text", `{"path": "a", "dryrun": true}`, "guess"],
    ["such a key in JSON in a string", { path: "a", options: `{"keepbackup": true}` }, "guess"],
    ["such a key in JSON in a string, in text", `{"options": "{\\"keepbackup\\": true}"}`, "guess"],
  ])("does not run on a guess about %s", async (_what, args, degree) => {
    const { call, ran } = setUp();
    const { failure, decoded, content } = await call("write_file", args);
    expect(ran).toEqual([]);
    expect(decoded.degree).toBe(degree);
    expect(failure).toMatchObject({ kind: "validation", code: "TOOL_ARGUMENTS_INVALID_JSON" });
    expect(JSON.stringify(content)).toContain("again");
  });

  test.each([
    ["quotes inside a string", `{"path": "a", "content": "say "hi" to "them""}`, `say "hi" to "them"`],
    ["another notation", `{'path': 'a', content: 'x',}`, "x"],
    ["a fence and a greeting around it", 'Sure:\n```json\n{"path": "a", "content": "x"}\n```', "x"],
  ])("runs on %s", async (_what, args, content) => {
    const { call, ran } = setUp();
    expect((await call("write_file", args)).decoded.degree).toBe("exact");
    expect(ran).toEqual([{ path: "a", content }]);
  });

  test("tells the model what was understood", async () => {
    const { failure } = await setUp().call("write_file", GUESS);
    expect(failure?.message).toContain(`Understood was: {"path":"a","content":"one"`);
    expect(failure?.details).toMatchObject({ understood: { path: "a" } });
  });

  test("asks about a guess where it is told to, and never about a loss", async () => {
    const reasons: string[] = [];
    const { call, ran } = setUp({
      onGuess: "ask",
      approve: (request) => {
        reasons.push(...request.reasons);
        return { approved: true };
      },
    });
    expect((await call("write_file", GUESS)).isError).toBe(false);
    expect(reasons).toEqual([expect.stringContaining("missing-quote at position")]);
    expect((await call("write_file", LOSSY)).isError).toBe(true);
    expect((await call("write_file", CUT)).isError).toBe(true);
    expect(ran).toHaveLength(1);
  });

  test("is told of every wrong argument before it is told of a key that is nearly right", async () => {
    const { failure } = await setUp().call("write_file", { path: 1, content: {}, dryrun: true });
    expect(failure?.details).toMatchObject({ arguments: [{ path: "/content" }] });
  });
});

test.each([
  ["cut off", CUT],
  ["guessed", GUESS],
  ["lossy", LOSSY],
])("what a reading tool makes of %s arguments does not write either", async (_what, args) => {
  const { call, ran } = setUp();
  const { value } = await call("plan_copy", args);
  expect(value).toBe("TOOL_ARGUMENTS_INVALID_JSON");
  expect(ran).toEqual([]);
});

test("a reading tool runs on all of them, and the result says how sure they are", async () => {
  const { call, ran } = setUp();
  for (const args of [CUT, LOSSY, GUESS]) expect((await call("read_file", args)).isError).toBe(false);
  expect(ran).toHaveLength(3);
});

describe("what only looks like notation is not written", () => {
  const lists = tool({
    name: "set_lines",
    description: "Sets lines",
    input: {
      type: "object",
      properties: {
        path: { type: "string" },
        mode: { type: "string" },
        lines: { type: "array", items: { type: "string" } },
        edits: {
          type: "array",
          items: { type: "object", properties: { p: { type: "string" }, dry_run: {} } },
        },
      },
    },
    safety: { sideEffects: "write", idempotent: true },
    execute: (args) => args,
  });
  const executor = new Executor({ tools: [lists] });

  test.each([
    ["an address taken for a comment", `{"path": "<script src="//cdn/x.js"></script>"}`],
    ["an address and what follows it", `{"path": "ls "//server/share"", "mode": "w"}`],
    ["a plus sign taken for a concatenation", `{"path": "op = "+";"}`],
    ["elements that are joined", `{"lines": ["p", "a "b", "q"]}`],
    ["elements that are split", `{"lines": ["split(" ")[0];"]}`],
    ["the next key as content", `{"path": "/tmp/x", "mode""w"}`],
    ["the next key without its quote as content", `{"path": "/tmp/x", "mode: "w"}`],
    ["a key that the content holds", `{"path": "say "hi", "mode": "evil""}`],
    ["strings that Python joins", `{'path': 'x' 'y'}`],
    ["a near miss in an element", `{"edits": [{"p": "a", "dryrun": true}]}`],
    ["another way to join words", `{"edits": [{"p": "a", "dryRun": true}]}`],
  ])("%s", async (_name, args) => {
    const { value, isError } = await executor.call({ id: "c", name: "set_lines", arguments: args });
    const exact = `{"path":"<script src=\\"//cdn/x.js\\"></script>"}`;
    if (!isError)
      expect([exact, `{"path":"ls \\"//server/share\\"","mode":"w"}`]).toContain(JSON.stringify(value));
  });
});

test("a call that a tool makes on behalf of one found in prose asks as that one would", async () => {
  const writes = tool({
    name: "w",
    description: "Writes",
    input,
    safety: { sideEffects: "write" },
    execute: () => "wrote",
  });
  const reads = tool({
    name: "r",
    description: "Reads, and lets another tool write",
    input,
    safety: { sideEffects: "read" },
    execute: async (args, { call }) => (await call("w", args)).failure?.code ?? "wrote",
  });
  const executor = new Executor({ tools: [writes, reads] });
  const call = { id: "c", name: "r", arguments: {} };
  expect((await executor.call(call, { source: "extracted" })).value).toBe("TOOL_APPROVAL_REJECTED");
  expect((await executor.call(call)).value).toBe("wrote");
});
