import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { CallOptions } from "../../call/call.ts";
import { textOf } from "../../call/content.ts";
import type { CallEvent } from "../../call/events.ts";
import { validation } from "../../failure/failure.ts";
import { tool } from "../../tool/define-tool.ts";
import type { SideEffects } from "../../tool/safety.ts";
import type { ToolSpec } from "../../tool/tool.ts";
import { Executor } from "../executor.ts";
import type { ExecutorOptions } from "../options.ts";

type Spec = Partial<ToolSpec<unknown, unknown>>;

function setUp(spec: Spec = {}, options: ExecutorOptions = {}) {
  const events: CallEvent[] = [];
  const echo = tool({
    name: "echo",
    description: "Echoes",
    input: {
      type: "object",
      properties: { n: { type: "integer" }, text: { type: "string" } },
      required: ["n"],
      additionalProperties: false,
    },
    safety: { sideEffects: "none" },
    execute: (args: unknown) => args,
    ...spec,
  } as ToolSpec<unknown, unknown>);
  const executor = new Executor({ tools: [echo], events: (event) => events.push(event), ...options });
  const call = (args: unknown, callOptions: CallOptions = {}) =>
    executor.call({ id: "c", name: "echo", arguments: args }, callOptions);
  return { call, executor, repairs: () => events.filter((event) => event.type === "call.repaired") };
}

test("valid arguments pass as they are, without a trace", async () => {
  const { call, repairs } = setUp();
  const { value, decoded } = await call('{"n":1,"text":"3"}');
  expect(value).toEqual({ n: 1, text: "3" });
  expect(decoded).toEqual({ mode: "strict", degree: "exact", repairs: [] });
  expect(repairs()).toEqual([]);
});

test("what was repaired and coerced is on the result, in one event and counted once", async () => {
  const { call, repairs, executor } = setUp({}, { hooks: { beforeCall: ({ args }) => ({ args }) } });
  const { value, decoded } = await call("{n: '7',}");
  expect(value).toEqual({ n: 7 });
  expect(decoded.mode).toBe("repaired");
  expect(decoded.repairs.length).toBeGreaterThan(1);
  expect(repairs()).toHaveLength(1);
  expect(executor.health().repaired).toBe(1);
});

test("every wrong argument is named, with what was expected", async () => {
  const { failure, content, attempts } = await setUp().call({ n: "many", text: {}, extra: 1 });
  const { arguments: issues } = failure!.details as { arguments: { path: string }[] };
  expect(issues.map((issue) => issue.path).sort()).toEqual(["/extra", "/n", "/text"]);
  expect(failure).toMatchObject({ kind: "validation", code: "TOOL_EXECUTION_FAILED", retryable: false });
  expect(textOf(content)).toContain("Correct the arguments and call the tool again.");
  expect(attempts).toBe(0);
});

test("what cannot be read says what to send", async () => {
  const { failure } = await setUp().call("certainly, I will echo");
  expect(failure).toMatchObject({ kind: "validation", code: "TOOL_ARGUMENTS_INVALID_JSON" });
});

describe("the schema library", () => {
  test("has the last word, and may transform", async () => {
    const input = z.object({
      n: z
        .number()
        .refine((n) => n % 2 === 0, "must be even")
        .transform((n) => `<${n}>`),
    });
    const { call } = setUp({ input });
    expect((await call({ n: "4" })).value).toEqual({ n: "<4>" });
    expect((await call({ n: 3 })).failure?.details).toEqual({
      arguments: [{ path: "/n", expected: "must be even", received: "", message: "n: must be even" }],
    });
  });

  test("may answer later, and an asynchronous check runs once", async () => {
    let checks = 0;
    const input = z.object({ n: z.number() }).refine(async ({ n }) => {
      checks += 1;
      await null;
      return n > 0;
    }, "must be positive");
    const { call } = setUp({ input });
    expect((await call({ n: 1 })).isError).toBe(false);
    expect(checks).toBe(1);
    expect((await call({ n: -1 })).failure?.kind).toBe("validation");
  });

  test("that throws is the tool's fault, not the model's", async () => {
    const input = z.object({}).refine(() => {
      throw new Error("lookup failed");
    });
    expect((await setUp({ input }).call({})).failure).toMatchObject({
      kind: "fatal",
      message: "The validator of echo threw: lookup failed",
    });
  });
});

describe("prepare", () => {
  test("rewrites raw arguments before they are checked, at once or later", async () => {
    expect(
      (await setUp({ prepare: (raw) => ({ n: (raw as { old: number }).old }) }).call({ old: 5 })).value,
    ).toEqual({ n: 5 });
    expect((await setUp({ prepare: async () => ({ n: 6 }) }).call({})).value).toEqual({ n: 6 });
    expect((await setUp({ prepare: () => undefined }).call({ n: 7 })).value).toEqual({ n: 7 });
  });

  test("waits for a thenable that is no promise", async () => {
    const later = {
      // biome-ignore lint/suspicious/noThenProperty: such a thenable is the point
      then: (resolve: (value: unknown) => void) => void setTimeout(() => resolve({ n: 8 }), 1),
    };
    expect((await setUp({ prepare: () => later }).call({})).value).toEqual({ n: 8 });
  });

  test("can refuse, by returning to the model what is wrong", async () => {
    const prepare = () => {
      throw validation("say please");
    };
    expect((await setUp({ prepare }).call({ n: 1 })).failure).toMatchObject({
      kind: "validation",
      message: "prepare of echo failed: say please",
    });
  });
});

/** The rows of the safety table on arguments that were cut off and calls found in prose. */
test.each<[SideEffects, string, string]>([
  ["none", "ran", "ran"],
  ["read", "ran", "ran"],
  ["write", "TOOL_ARGUMENTS_INVALID_JSON", "TOOL_APPROVAL_REJECTED"],
  ["external", "TOOL_ARGUMENTS_INVALID_JSON", "TOOL_APPROVAL_REJECTED"],
])("%s: cut off %s, extracted %s", async (sideEffects, cutOff, extracted) => {
  const { call } = setUp({ safety: { sideEffects, idempotent: true } });
  const codeOf = async (args: unknown, options: CallOptions) =>
    (await call(args, options)).failure?.code ?? "ran";
  expect(await codeOf('{"n": 1, "text": "hal', { complete: false })).toBe(cutOff);
  expect(await codeOf({ n: 1 }, { complete: false })).toBe(cutOff);
  expect(await codeOf('{"n": 1', {})).toBe(cutOff);
  expect(await codeOf({ n: 1 }, { source: "extracted" })).toBe(extracted);
});

test("what is wrong with arguments is told without the secrets that a hook put in", async () => {
  const token = "ghp_0123456789abcdefghijklmnopqrstuvwx";
  const { call } = setUp({}, { hooks: { beforeCall: () => ({ args: { n: `Bearer ${token}` } }) } });
  const { failure, content } = await call({ n: 1 });
  expect(failure?.kind).toBe("validation");
  expect(textOf(content)).toContain("n: expected integer");
  expect(JSON.stringify([failure, content])).not.toContain(token);
});

describe("a number that turns out to be text is what the model wrote", () => {
  const version = { properties: { v: { type: "string" } } };
  test.each<[string, object]>([
    ["by a pattern", { patternProperties: { "^v": { type: "string" } } }],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    ["by a condition", { if: { required: ["v"] }, then: version }],
    ["by a property that is there", { dependentSchemas: { v: version } }],
  ])("%s", async (_name, schema) => {
    const { call } = setUp({ input: { type: "object", ...schema } });
    expect((await call('{"v": 3.10}')).value).toEqual({ v: "3.10" });
    expect((await call("{v: 10.00,}")).value).toEqual({ v: "10.00" });
    expect((await call(JSON.stringify('{"v": 1e3}'))).value).toEqual({ v: "1e3" });
    expect((await call({ v: 3.1 })).value).toEqual({ v: "3.1" });
  });
});

test("arguments that lead back into themselves are looked through once", async () => {
  const ring: Record<string, unknown> = { list: [] };
  (ring.list as unknown[]).push(ring);
  const send = tool({
    name: "send",
    description: "Send",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    execute: () => "sent",
  });
  const result = await new Executor({ tools: [send] }).call({ id: "c", name: "send", arguments: ring });
  expect(result.executionId).toBeDefined();
});
