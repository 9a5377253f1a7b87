import { result, textOf, tool } from "@toolrig/core";
import { z } from "zod";
import {
  type Hostile,
  hostileTool,
  never,
  revoked,
  runs,
  sleep,
  thrower,
  untouchable,
  withTool,
} from "./hostile.ts";

const FAILED = "fatal TOOL_EXECUTION_FAILED";
const TIMEOUT = "timeout TOOL_TIMEOUT";
const INVALID = "fatal TOOL_OUTPUT_INVALID";

function circular(): object {
  const loop: Record<string, unknown> = { name: "loop" };
  loop.self = loop;
  return loop;
}

function nested(depth: number): unknown {
  let value: unknown = "bottom";
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

type Then = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void;

/** A thenable that is no promise, and behaves as it likes. */
function thenable(then: Then): Promise<unknown> {
  return { then } as never;
}

function twoFaced(): Promise<unknown> {
  const promise = Promise.resolve("fine");
  // biome-ignore lint/suspicious/noThenProperty: a hostile thenable is the point
  return Object.defineProperty(promise, "then", { value: thrower("not this way") });
}

const short = { timeout: 30 };

/** Tools that return, with whatever can be returned. */
export const returning: readonly Hostile[] = [
  runs("returns undefined", "ok", () => undefined),
  runs("returns a circular object", "ok", circular),
  runs("returns big integers", "ok", () => ({ big: 12n })),
  runs("returns a function", "ok", () => () => "later"),
  runs("returns a symbol", "ok", () => Symbol("only me")),
  runs("returns a Map of itself", "ok", () => {
    const map = new Map<string, unknown>([["n", 1n]]);
    return map.set("map", map);
  }),
  runs("returns an object whose getter throws", "ok", () => ({
    get secret() {
      throw new Error("no");
    },
  })),
  runs("returns an object whose toJSON throws", "ok", () => ({ toJSON: thrower("no JSON") })),
  runs("returns a value nested 100,000 deep", "ok", () => nested(100_000)),
  runs("returns a proxy that throws when touched", FAILED, untouchable),
  runs("returns a revoked proxy", FAILED, revoked),
  withTool(
    "returns ten million characters",
    "ok",
    { execute: () => "x".repeat(10_000_000) },
    {
      check: ({ content, artifact }) =>
        textOf(content).length < 60_000 && artifact !== undefined
          ? undefined
          : "the content was not cut and kept",
    },
  ),
  runs("returns promises of promises", "ok", async () => Promise.resolve(Promise.resolve("inner"))),
  runs("returns a thenable that throws", "fatal TOOL_PANICKED", () => thenable(thrower("no then"))),
  runs("returns a thenable that answers twice", "ok", () =>
    thenable((resolve, reject) => {
      resolve("first");
      resolve("second");
      reject(new Error("third"));
    }),
  ),
  runs("returns a promise whose then throws", "fatal TOOL_PANICKED", twoFaced),
  withTool("returns a thenable that never answers", TIMEOUT, { ...short, execute: () => thenable(() => {}) }),
  runs("returns content that is none", "ok", () => result({ content: 5 as never, details: circular() })),
  runs("returns content parts that are none", "ok", () =>
    result({ content: [null, 7n, { type: "text" }] as never }),
  ),
  runs("returns effects that are none", "ok", () => result({ content: "done", effects: 7 as never })),
  runs("returns an error outcome that asks to end the run", FAILED, () =>
    result({ content: "no", isError: true, terminate: true }),
  ),
  withTool("returns what its output schema forbids", INVALID, {
    output: { type: "string" },
    execute: () => 5,
  }),
  withTool("has an output validator that throws", INVALID, {
    output: z.object({}).refine(thrower("boom")),
    execute: () => ({}),
  }),
  withTool("has an output validator that never answers", TIMEOUT, {
    ...short,
    output: z.object({}).refine(never),
    execute: () => ({}),
  }),
];

async function* yieldsForever() {
  for (;;) yield "again";
}

/** An iterator made by hand, without the `return` that a generator has. */
function handMade(next: () => unknown): AsyncGenerator<unknown> {
  return { next, [Symbol.asyncIterator]: () => handMade(next) } as never;
}

/** Tools that do not end when they should. */
export const running: readonly Hostile[] = [
  withTool("hangs", TIMEOUT, { ...short, execute: never }),
  withTool("ignores its signal and finishes late", TIMEOUT, { ...short, execute: () => sleep(60) }),
  withTool("fails late, after its deadline", TIMEOUT, {
    ...short,
    execute: () => sleep(60).then(thrower("late")),
  }),
  withTool("falls silent", TIMEOUT, {
    idleTimeout: 30,
    async execute(_args, { update }) {
      update("started");
      await never();
    },
  }),
  withTool("hangs in a generator", TIMEOUT, {
    ...short,
    async *execute() {
      yield "working";
      await never();
    },
  }),
  withTool("throws from a listener on its signal", TIMEOUT, {
    ...short,
    execute(_args, { signal }) {
      signal.addEventListener("abort", thrower("bad clean-up"));
      return never();
    },
  }),
  withTool("yields forever without waiting", TIMEOUT, { ...short, execute: yieldsForever }),
  withTool("throws from a generator", FAILED, {
    async *execute() {
      yield 1;
      throw new Error("half way");
    },
  }),
  withTool("hangs in an iterator that cannot be ended", TIMEOUT, {
    ...short,
    execute: () => handMade(never),
  }),
  withTool("steps through an iterator that gives nonsense", FAILED, {
    execute: () => handMade(() => undefined),
  }),
  runs("goes on reporting after its call ended", "ok", (_args, context) => {
    const { update, effect, call, log } = context;
    setTimeout(() => {
      update("still here");
      effect({ type: "custom", name: "too late" });
      log.info("too late");
      void call("ping", {});
    }, 5);
    return "done";
  }),
  {
    name: "calls itself without end",
    expect: "ok",
    options: {
      tools: [
        hostileTool({
          async execute(_args, { call }) {
            const { failure, content } = await call("hostile", {});
            return failure?.code ?? textOf(content);
          },
        }),
      ],
    },
    check: ({ content }) =>
      textOf(content) === "TOOL_BUDGET_EXCEEDED" ? undefined : "the recursion was not ended by its depth",
  },
  {
    name: "calls tools in a circle that hold what the other needs",
    expect: TIMEOUT,
    options: { tools: [inCircle("hostile", "other"), inCircle("other", "hostile")], concurrency: 2 },
    async act(executor) {
      const [first] = await executor.batch([
        { id: "a", name: "hostile" },
        { id: "b", name: "other" },
      ]);
      return first!;
    },
  },
];

function inCircle(name: string, other: string) {
  return tool({
    name,
    description: "Holds a lock and wants the other's",
    input: { type: "object" },
    safety: { sideEffects: "write" },
    timeout: 40,
    locks: () => [name],
    async execute(_args, { call }) {
      await sleep(5);
      return call(other, {});
    },
  });
}
