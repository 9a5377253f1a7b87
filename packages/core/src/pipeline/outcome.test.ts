import { describe, expect, test } from "vitest";
import { z } from "zod";
import { textOf } from "../call/content.ts";
import { type Outcome, result, success } from "../call/result.ts";
import { denied, failure, transient, unavailable, validation } from "../failure/failure.ts";
import { MemoryCallStore } from "../stores/records.ts";
import { tool } from "../tool/define-tool.ts";
import type { ToolSpec } from "../tool/tool.ts";
import { Executor } from "./executor.ts";

type Spec = Partial<ToolSpec<unknown, unknown>>;

function run(spec: Spec) {
  const made = tool({
    name: "work",
    description: "Works",
    input: { type: "object" },
    safety: { sideEffects: "none" },
    execute: () => 1,
    ...spec,
  } as ToolSpec<unknown, unknown>);
  return new Executor({ tools: [made] }).call({ id: "c", name: "work" });
}

const returns = (value: unknown) => run({ execute: () => value as never });

describe("what a tool returns", () => {
  test.each([
    ["text", "hello", "hello"],
    ["an object", { a: 1 }, '{"a":1}'],
    ["a list", [1, 2], "[1,2]"],
    ["null", null, "null"],
    ["false", false, "false"],
    ["nothing", undefined, "(no output)"],
    ["a function", () => 1, "(no output)"],
    ["a big integer", 5n, "5"],
    ["a set", new Set([1, 2]), "[1,2]"],
    ["an error", new RangeError("too far"), '"RangeError: too far"'],
    ["bytes", new Uint8Array(5_000_000), '"[5000000 bytes]"'],
    ["an object with a big integer", { n: 5n }, '{"n":"5"}'],
    ["a map that holds itself", circularMap(), '{"self":"[circular]","n":"1"}'],
  ])("%s is rendered for the model", async (_name, value, text) => {
    const { content, isError } = await returns(value);
    expect(isError).toBe(false);
    expect(content).toEqual([{ type: "text", text }]);
  });

  test("is kept for programs as a copy, plain where JSON could not hold it", async () => {
    const value = { at: new Date(0) };
    expect((await returns(value)).value).toStrictEqual(value);
    expect((await returns({ n: 5n })).value).toEqual({ n: "5" });
    const bytes = new Uint8Array(3);
    expect((await returns(bytes)).value).toStrictEqual(bytes);
    expect("value" in (await returns(undefined))).toBe(false);
  });

  test("that only looks like an outcome is data", async () => {
    const lookalike = { content: "mine", isError: true, terminate: true };
    const { isError, terminate, value } = await returns(lookalike);
    expect([isError, terminate, value]).toEqual([false, undefined, lookalike]);
  });
});

function circularMap() {
  const map = new Map<string, unknown>();
  return map.set("self", map).set("n", 1n);
}

describe("an outcome", () => {
  test("decides content, details, effects and the end of the run", async () => {
    const outcome: Outcome = {
      content: [{ type: "image", data: "AQID", mimeType: "image/png" }],
      value: 7,
      details: { for: "people" },
      effects: [{ type: "file", path: "/a", op: "write" }],
      terminate: true,
    };
    const made = await returns(result(outcome));
    expect(made).toMatchObject({ isError: false, ...outcome });
    expect(textOf(made.content)).toBe("");
  });

  test("of success renders its value", async () => {
    expect(await returns(success({ a: 1 }, { details: "d" }))).toMatchObject({
      value: { a: 1 },
      details: "d",
      content: [{ text: '{"a":1}' }],
    });
  });

  test("that is a failure keeps the content and the value that came with it", async () => {
    const failed = { code: "TOOL_TIMEOUT", message: "took too long" } as const;
    const made = await returns(result({ failure: failed, content: "so far: 1", value: { sofar: 1 } }));
    expect(made).toMatchObject({
      isError: true,
      failure: { kind: "timeout", message: "took too long" },
      content: [{ type: "text", text: "so far: 1" }],
      value: { sofar: 1 },
    });
  });

  test("that is a failure has its code, and the details and labels of the outcome", async () => {
    const labels = { integrity: "untrusted" } as const;
    const failed = { code: "TOOL_BUDGET_EXCEEDED", message: "no more" } as const;
    const made = await returns(result({ failure: failed, details: "d", labels, terminate: true }));
    expect(made).toMatchObject({
      isError: true,
      failure: { ...failed, kind: "budget" },
      details: "d",
      labels,
    });
    expect(textOf(made.content)).toContain("Error (TOOL_BUDGET_EXCEEDED): no more");
    expect(made).not.toHaveProperty("terminate");
  });

  test("that is an error never asks to end the run", async () => {
    const made = await returns(result({ content: "broke", isError: true, terminate: true }));
    expect(made).toMatchObject({ isError: true, failure: { kind: "fatal", message: "broke" } });
    expect(made.terminate).toBeUndefined();
  });
});

describe("a failure", () => {
  const failures = [
    [validation("wrong"), "validation", "TOOL_EXECUTION_FAILED", false],
    [transient("later"), "transient", "TOOL_TRANSIENT", true],
    [transient(new Error("later")), "transient", "TOOL_TRANSIENT", true],
    [unavailable("down"), "unavailable", "TOOL_UNAVAILABLE", true],
    [denied("no"), "denied", "TOOL_BLOCKED", false],
    [failure("broke"), "fatal", "TOOL_EXECUTION_FAILED", false],
    [failure({ code: "TOOL_REPEATED", message: "again?" }), "budget", "TOOL_REPEATED", false],
  ] as const;

  test.each(failures)("%s means the same returned and thrown", async (given, kind, code, retryable) => {
    const returnedOne = await returns(given);
    const thrownOne = await run({
      execute: () => {
        throw given;
      },
    });
    for (const { failure: made, isError } of [returnedOne, thrownOne]) {
      expect(isError).toBe(true);
      expect(made).toMatchObject({ kind, code, retryable });
    }
    expect(returnedOne.content).toEqual(thrownOne.content);
  });

  test("of what cannot be read as JSON only its message says what to do", async () => {
    const message = "The response was cut off. Make the call again.";
    expect(textOf((await returns(failure({ code: "TOOL_ARGUMENTS_INVALID_JSON", message }))).content)).toBe(
      `Error (TOOL_ARGUMENTS_INVALID_JSON): ${message}`,
    );
  });

  test("tells the model what to do, with every wrong argument, and no secret", async () => {
    const details = { arguments: [{ path: "/a", expected: "x", received: "y", message: "a: must be x" }] };
    expect(textOf((await returns(validation("1 argument is wrong.", details))).content)).toBe(
      "Error (TOOL_EXECUTION_FAILED): 1 argument is wrong.\n- a: must be x\nCorrect the arguments and call the tool again.",
    );
    const { failure: leaked } = await run({
      execute: () => {
        throw new Error("GET https://user:hunter22@example.com failed");
      },
    });
    expect(leaked?.message).toBe("GET https://user:[redacted]@example.com failed");
    const returnedOne = await returns(
      result({ content: "https://user:hunter22@example.com", isError: true }),
    );
    expect(textOf(returnedOne.content)).toBe("https://user:[redacted]@example.com");
    const answer = await returns(result({ content: "https://user:hunter22@example.com" }));
    expect(textOf(answer.content)).toContain("hunter22");
  });

  test("has details that can be serialised, whatever was given", async () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const { failure: made } = await returns(validation("wrong", { loop, n: 1n }));
    expect(made?.details).toEqual({ loop: { self: "[circular]" }, n: "1" });
  });
});

test("an abort that nobody asked for is the tool's own failure, not a cancellation", async () => {
  const { failure: made } = await run({
    execute: () => Promise.reject(new DOMException("gone", "AbortError")),
  });
  expect(made).toMatchObject({ kind: "fatal", code: "TOOL_EXECUTION_FAILED", message: "gone" });
});

describe("an output schema", () => {
  const output = z.object({ n: z.number() }).transform(({ n }) => ({ doubled: n * 2 }));

  test("that matches gives what the library makes of the value", async () => {
    expect(
      (await run({ output: z.object({ n: z.number().default(2) }), execute: () => ({ n: 3 }) })).value,
    ).toEqual({ n: 3 });
    expect((await run({ output, execute: () => ({ n: 3 }) })).value).toEqual({ doubled: 6 });
  });

  test("that does not match fails the call and says that the tool ran, effects included", async () => {
    const { failure: made, effects } = await run({
      output: { type: "object", required: ["n"] },
      execute: () => result({ value: { m: 1 }, effects: [{ type: "custom", name: "done" }] }),
    });
    expect(made).toMatchObject({ kind: "fatal", code: "TOOL_OUTPUT_INVALID", details: { output: { m: 1 } } });
    expect(made?.message).toContain("work ran, but its output does not match");
    expect(effects).toEqual([{ type: "custom", name: "done" }]);
  });

  test.each([
    [
      "throws",
      z.object({}).refine(() => {
        throw new Error("bug");
      }),
    ],
    [
      "rejects",
      z.object({}).refine(async () => {
        throw new Error("bug");
      }),
    ],
  ])("whose validator %s is no better", async (_name, broken) => {
    expect((await run({ output: broken, execute: () => ({}) })).failure?.code).toBe("TOOL_OUTPUT_INVALID");
  });

  test("is not enforced on an outcome that is an error", async () => {
    expect(
      (await run({ output, execute: () => result({ content: "no", isError: true }) })).failure?.message,
    ).toBe("no");
  });
});

test("a tool that never waits and takes longer than its limit has timed out, and what it returned is late", async () => {
  const slow = tool({
    name: "slow",
    description: "Blocks",
    input: { type: "object" },
    safety: { sideEffects: "write" },
    timeout: 5,
    execute: () => {
      for (const until = Date.now() + 15; Date.now() < until; );
      return "done";
    },
  });
  const late: unknown[] = [];
  const executor = new Executor({ tools: [slow] });
  executor.events.on("call.late", (event) => late.push(event.value));
  const { failure } = await executor.call({ id: "c", name: "slow" });
  expect(failure).toMatchObject({ code: "TOOL_TIMEOUT" });
  expect(failure?.message).toContain("may have happened");
  expect(late).toEqual(["done"]);
  expect(executor.health().late).toBe(1);
});

test("a plain generator runs as an async one does", async () => {
  const steps = tool({
    name: "steps",
    description: "Yields",
    input: { type: "object" },
    *execute() {
      yield "one";
      yield "two";
      return "three";
    },
  });
  const updates: unknown[] = [];
  const executor = new Executor({ tools: [steps] });
  executor.events.on("call.update", (event) => updates.push(event.update.content));
  expect((await executor.call({ id: "c", name: "steps" })).value).toBe("three");
  expect(updates).toEqual(["one", "two"]);
});

test.each([
  ["a map", { counts: new Map([["a", 1]]) }, '{"counts":{"a":1}}'],
  ["a set in a list", [new Set([1, 2])], "[[1,2]]"],
  ["an error", { why: new TypeError("bad") }, '{"why":"TypeError: bad"}'],
  // Another test's library may have replaced the global class by one of another name.
  ["a response", { page: new Response("x") }, `{"page":"[${Response.name}]"}`],
  ["nothing special", { at: new Date(0), empty: {}, bare: Object.create(null) }, undefined],
])("%s inside what a tool returns is shown", async (_name, value, text) => {
  const give = tool({ name: "give", description: "Gives", input: { type: "object" }, execute: () => value });
  const { content } = await new Executor({ tools: [give] }).call({ id: "c", name: "give" });
  expect(textOf(content)).toBe(text ?? JSON.stringify(value));
});

test("an error that a tool throws keeps its stack and cause for people, and the model sees neither", async () => {
  const store = new MemoryCallStore();
  const broken = tool({
    name: "broken",
    description: "Breaks",
    input: { type: "object" },
    execute: () => {
      throw new TypeError("no such page", { cause: new Error("socket closed") });
    },
  });
  const executor = new Executor({ tools: [broken], store });
  const { content, failure } = await executor.call({ id: "c", name: "broken" });
  await executor.drain();
  const [record] = store.records();
  expect(record?.errors).toMatchObject([
    {
      attempt: 1,
      error: { name: "TypeError", message: "no such page", cause: { message: "socket closed" } },
    },
  ]);
  expect(record?.errors?.[0]?.error.stack).toContain("outcome.test.ts");
  expect(JSON.stringify({ content, failure })).not.toMatch(/outcome\.test\.ts|socket closed/);
});
