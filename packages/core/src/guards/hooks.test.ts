import { describe, expect, test } from "vitest";
import { textOf } from "../call/content.ts";
import type { CallEvent } from "../call/events.ts";
import { result } from "../call/result.ts";
import { denied } from "../failure/failure.ts";
import { Executor } from "../pipeline/executor.ts";
import type { ExecutorOptions } from "../pipeline/options.ts";
import { tool } from "../tool/define-tool.ts";
import type { Hooks } from "./hooks.ts";

function setUp(hooks: Hooks, options: ExecutorOptions = {}) {
  const events: CallEvent[] = [];
  const greet = tool({
    name: "greet",
    description: "Greets",
    input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    safety: { sideEffects: "none" },
    execute: ({ name }) =>
      result({ value: `Hello, ${name}`, details: "kept", effects: [{ type: "custom", name: "greeted" }] }),
  });
  const executor = new Executor({ tools: [greet], hooks, events: (event) => events.push(event), ...options });
  const call = (args: object = { name: "Ada" }) =>
    executor.call({ id: "c1", name: "greet", arguments: args });
  const verdicts = () =>
    events.flatMap((event) =>
      event.type === "call.verdict" ? [`${event.phase} ${event.guard} ${event.verdict}`] : [],
    );
  return { executor, call, verdicts };
}

describe.each(["parallel", "sequential"] as const)("stop, in a %s batch", (mode) => {
  const ran: string[] = [];
  const each = (name: string) =>
    tool({ name, description: name, input: { type: "object" }, execute: () => ran.push(name) });
  const tools = [each("first"), each("danger"), each("write")];
  const calls = [
    { id: "1", name: "first" },
    { id: "2", name: "danger" },
    { id: "3", name: "write" },
    { id: "4", name: "nobody_knows" },
  ];

  test("holds back the calls after it, which no guard is asked about", async () => {
    ran.length = 0;
    const asked: string[] = [];
    const beforeCall: Hooks["beforeCall"] = ({ call }) => {
      asked.push(call.name);
      return call.name === "danger" ? { stop: "enough" } : undefined;
    };
    const executor = new Executor({ tools, mode, hooks: { beforeCall } });
    const results = await executor.batch(calls);
    expect(ran).toEqual(["first"]);
    expect(asked).toEqual(["first", "danger"]);
    expect(results.map(({ failure }) => failure?.code)).toEqual([
      undefined,
      "TOOL_BLOCKED",
      "TOOL_BLOCKED",
      "TOOL_BLOCKED",
    ]);
    expect(results[2]?.failure).toMatchObject({
      message: "The call did not run: danger, which was called before it, stopped the run (enough).",
      details: { stoppedBy: "2" },
    });
    expect(results.map(({ stop }) => stop)).toEqual([undefined, "enough", undefined, undefined]);
    expect(executor.health().inFlight).toBe(0);
  });
});

test("stop on arguments that an approver changed holds back what comes after it in turn", async () => {
  const ran: unknown[] = [];
  const write = tool({
    name: "write",
    description: "Write",
    input: { type: "object" },
    approval: (args: { asks?: boolean }) => args.asks === true,
    execute: (args) => ran.push(args),
  });
  const executor = new Executor({
    tools: [write],
    mode: "sequential",
    guards: [
      {
        name: "watch",
        judgesEdits: true,
        before: ({ args }) =>
          (args as { edited?: boolean }).edited ? { verdict: "stop", reason: "no" } : undefined,
      },
    ],
    approve: () => ({ approved: true, args: { edited: true } }),
  });
  const results = await executor.batch([
    { id: "1", name: "write", arguments: { asks: true } },
    { id: "2", name: "write", arguments: {} },
  ]);
  expect(ran).toEqual([]);
  expect(results.map(({ failure }) => failure?.code)).toEqual(["TOOL_BLOCKED", "TOOL_BLOCKED"]);
});

describe("a before-hook", () => {
  test("sees the call with its valid arguments, and lets it pass by answering nothing", async () => {
    const seen: unknown[] = [];
    const { call, verdicts } = setUp({
      beforeCall({ call: given, tool: used, args, source, batch }) {
        seen.push(given.id, used.name, args, source, batch.size);
      },
    });
    expect((await call()).value).toBe("Hello, Ada");
    expect(seen).toEqual(["c1", "greet", { name: "Ada" }, "model", 1]);
    expect(verdicts()).toEqual([]);
  });

  test.each([
    ["block", { block: "not today" }, "not today"],
    ["block with a reason", { block: true as const, reason: "because" }, "because"],
    ["block without one", { block: true as const }, "blocked by a hook"],
    ["block with an empty text", { block: "" }, "blocked by a hook"],
    ["block with an empty text and a reason", { block: "", reason: "x" }, "x"],
    ["a denial", denied("rule 7"), "rule 7"],
    ["a verdict", { verdict: "deny" as const, reason: "rule 8" }, "rule 8"],
  ])("blocks with %s", async (_name, answer, reason) => {
    const { call, verdicts } = setUp({ beforeCall: () => answer });
    expect(await call()).toMatchObject({
      attempts: 0,
      failure: { kind: "denied", code: "TOOL_BLOCKED", message: reason },
    });
    expect(verdicts()).toEqual(["before hooks deny"]);
  });

  test("rewrites arguments, which are checked again", async () => {
    expect((await setUp({ beforeCall: () => ({ args: { name: "Eve" } }) }).call()).value).toBe("Hello, Eve");
    const wrong = await setUp({ beforeCall: () => ({ args: { nom: "Eve" } }) }).call();
    expect(wrong.failure).toMatchObject({ kind: "validation", details: { arguments: [{ path: "/name" }] } });
  });

  test.each([
    ["deny: true", { deny: true }],
    ["blocked: true", { blocked: true }],
    ["allow: false", { allow: false }],
    ["block: false", { block: false }],
    ["block: false beside arguments", { block: false, args: { name: "Eve" } }],
    ["stop: 0", { stop: 0, args: { name: "Eve" } }],
    ["an empty object", {}],
    ["a list", ["deny"]],
    ["text", "deny"],
    ["false", false],
    ["true", true],
    ["a number", 3],
    ["null", null],
  ])("that answers with what is no answer denies: %s", async (_name, answer) => {
    const { call } = setUp({ beforeCall: () => answer as never });
    expect(await call()).toMatchObject({
      attempts: 0,
      failure: { code: "TOOL_BLOCKED", message: /^beforeCall must answer with .*, or with nothing to let/ },
    });
  });

  test("ends the run", async () => {
    const stopped = await setUp({ beforeCall: () => ({ stop: "enough" }) }).call();
    expect(stopped).toMatchObject({ stop: "enough", failure: { code: "TOOL_BLOCKED" } });
  });

  test("that fails denies", async () => {
    const hooks = { beforeCall: () => Promise.reject(new Error("rule engine down")) };
    expect((await setUp(hooks).call()).failure?.message).toBe("guard hooks failed: rule engine down");
  });

  test("is not asked about arguments that are wrong or a tool that does not exist", async () => {
    const asked: string[] = [];
    const { executor, call } = setUp({
      beforeCall: () => void asked.push("before"),
      afterCall: () => void asked.push("after"),
    });
    await executor.call({ id: "c", name: "nobody" });
    expect(asked).toEqual([]);
    await call({});
    expect(asked).toEqual(["after"]);
  });
});

describe("an after-hook", () => {
  test("replaces the parts it gives and keeps the others; effects stay", async () => {
    const { call, verdicts } = setUp({ afterCall: () => ({ content: "redacted" }) });
    const changed = await call();
    expect(textOf(changed.content)).toBe("redacted");
    expect(changed).toMatchObject({ details: "kept", effects: [{ name: "greeted" }] });
    expect(changed.value).toBeUndefined();
    expect(verdicts()).toEqual(["after hooks rewrite"]);
  });

  test("cannot remove effects, by any way of answering, and can add some", async () => {
    const added = { type: "custom", name: "logged" } as const;
    for (const answer of [
      { effects: [] },
      { result: { effects: [], content: "x" } },
      { content: "x", effects: undefined } as never,
    ]) {
      expect((await setUp({ afterCall: () => answer }).call()).effects).toEqual([
        { type: "custom", name: "greeted" },
      ]);
    }
    expect((await setUp({ afterCall: () => ({ effects: [added] }) }).call()).effects).toHaveLength(2);
    const spread = await setUp({
      afterCall: ({ result: given, effects }) => ({ ...given, effects: [...(effects ?? [])] }),
    }).call();
    expect(spread.effects).toHaveLength(1);
  });

  test("makes a failure of a success and the other way round", async () => {
    const failed = await setUp({ afterCall: () => ({ content: "looks wrong", isError: true }) }).call();
    expect(failed).toMatchObject({ isError: true, failure: { kind: "fatal", message: "looks wrong" } });
    const healed = await setUp({ afterCall: () => ({ content: "never mind", isError: false }) }).call({});
    expect(healed.isError).toBe(false);
    expect(healed.failure).toBeUndefined();
  });

  test("sees failures, too", async () => {
    const kinds: unknown[] = [];
    await setUp({ afterCall: ({ result: given }) => void kinds.push(given.failure?.kind) }).call({});
    expect(kinds).toEqual(["validation"]);
  });

  test("that fails withholds the result and says that the tool has run", async () => {
    const { failure, effects } = await setUp({
      afterCall() {
        throw new Error("scanner down");
      },
    }).call();
    expect(failure?.message).toBe("guard hooks failed after the tool ran: scanner down (the tool has run)");
    expect(effects).toHaveLength(1);
  });

  test.each([{ deny: true }, {}, { result: { deny: true } }, { result: 5 }, [], "deny", false, 3, null])(
    "that answers with what is no answer withholds the result: %j",
    async (answer) => {
      const { failure } = await setUp({ afterCall: () => answer as never }).call();
      expect(failure).toMatchObject({
        code: "TOOL_BLOCKED",
        message: /^afterCall must answer with .* \(the tool has run\)$/,
      });
    },
  );

  test("ends the run and keeps the result", async () => {
    expect(await setUp({ afterCall: () => ({ stop: true, reason: "done" }) }).call()).toMatchObject({
      stop: "done",
      isError: false,
    });
  });
});

test("guards run after the hooks, in order, and what they advise reaches the model", async () => {
  const order: string[] = [];
  const note = (name: string) => ({
    name,
    before: () => void order.push(name),
    after: () => ({ verdict: "advise" as const, text: `from ${name}` }),
  });
  const { call } = setUp(
    { beforeCall: () => void order.push("hooks") },
    { guards: [note("first") as never, note("second") as never] },
  );
  const { content, advice } = await call();
  expect(order).toEqual(["hooks", "first", "second"]);
  expect(advice).toEqual(["from first", "from second"]);
  expect(textOf(content)).toBe("Hello, Ada\n[advice] from first\n[advice] from second");
});

test.each([
  ["a number", 5],
  ["null", null],
  ["text", "allow"],
  ["a verdict that does not exist", { verdict: "perhaps" }],
])("a guard that answers with %s denies, before and after", async (_name, answer) => {
  for (const events of [true, false]) {
    const options = (guard: object): ExecutorOptions => ({
      guards: [{ name: "odd", ...guard }],
      ...(events ? {} : { events: undefined as never }),
    });
    const before = await setUp({}, options({ before: () => answer })).call();
    expect(before.failure).toMatchObject({ kind: "denied", code: "TOOL_BLOCKED" });
    const after = await setUp({}, options({ after: () => answer })).call();
    expect(after.failure).toMatchObject({ kind: "denied", code: "TOOL_BLOCKED" });
  }
});
