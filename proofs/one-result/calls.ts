import { type ToolResult, tool } from "@toolrig/core";
import { z } from "zod";
import { type Hostile, hostileTool, never, thrower, untouchable, withTool } from "./hostile.ts";

const NOT_FOUND = "not_found TOOL_NOT_FOUND";
const INVALID = "validation TOOL_EXECUTION_FAILED";
const NOT_JSON = "validation TOOL_ARGUMENTS_INVALID_JSON";
const CANCELLED = "cancelled TOOL_CANCELLED";

const greets = tool({
  name: "hostile",
  description: "Greets",
  input: z.object({ name: z.string() }),
  safety: { sideEffects: "none" },
  execute: ({ name }) => `Hello, ${name}`,
});

const strict = { tools: [greets] };
const loose = { tools: [hostileTool({ execute: (args) => args })] };
const writes = { tools: [hostileTool({ safety: { sideEffects: "write" } })] };

function called(
  name: string,
  expect: Hostile["expect"],
  call: unknown,
  options: Hostile["options"] = loose,
): Hostile {
  return { name, expect, call, options };
}

function args(given: unknown): object {
  return { id: "c1", name: "hostile", arguments: given };
}

function unpolluted(): string | undefined {
  return Object.hasOwn(Object.prototype, "polluted") ? "the prototype of all objects was changed" : undefined;
}

function only(expected: unknown): (result: ToolResult) => string | undefined {
  return ({ value }) =>
    JSON.stringify(value) === JSON.stringify(expected) ? undefined : `got ${JSON.stringify(value)}`;
}

/** Calls that no well-behaved model or caller would make. */
export const calls: readonly Hostile[] = [
  called("an unknown tool", NOT_FOUND, { id: "c1", name: "no_such_tool" }),
  called("a tool called __proto__", NOT_FOUND, { id: "c1", name: "__proto__" }),
  called("a tool called constructor", NOT_FOUND, { id: "c1", name: "constructor" }),
  called("a name of a million characters", NOT_FOUND, { id: "c1", name: "x".repeat(1_000_000) }),
  called("a call without a name", NOT_FOUND, { id: "c1" }),
  called("a call without an id", "ok", { name: "hostile" }),
  called("null instead of a call", NOT_FOUND, null),
  called("text instead of a call", NOT_FOUND, "hostile"),
  called("a call that throws when it is read", NOT_FOUND, untouchable()),
  called("a call whose arguments throw when they are read", NOT_FOUND, {
    id: "c1",
    name: "hostile",
    get arguments() {
      throw new Error("not yours");
    },
  }),
  called("a version that is no range", INVALID, { id: "c1", name: "hostile", version: "latest please" }),
  called("a version that nobody has", NOT_FOUND, { id: "c1", name: "hostile", version: "^7.0.0" }),
  {
    ...called("arguments that are repaired", "ok", args("{name: 'Ada',}"), strict),
    check: only("Hello, Ada"),
  },
  called("arguments that are prose", NOT_JSON, args("I would rather not say"), strict),
  called("no argument text at all", INVALID, args(""), strict),
  called("a number as arguments", INVALID, args(42), strict),
  called("a list as arguments", INVALID, args([1, 2]), strict),
  called("a symbol as arguments", INVALID, args(Symbol("args")), strict),
  called("null as arguments", "ok", args(null)),
  called("200,000 open brackets", NOT_JSON, args("[".repeat(200_000)), strict),
  { ...called("a key twice", "ok", args('{"name":"Eve","name":"Ada"}'), strict), check: only("Hello, Ada") },
  { ...called("a key called __proto__", "ok", args('{"__proto__":{"polluted":true}}')), check: unpolluted },
  {
    ...called("a broken key called __proto__", "ok", args('{"__proto__":{"polluted":true},}')),
    check: unpolluted,
  },
  called("arguments that throw when they are read", INVALID, args(untouchable()), strict),
  {
    ...called("cut-off arguments for a tool that writes", NOT_JSON, args('{"path":"/tmp/a'), writes),
    callOptions: () => ({ complete: false }),
  },
  {
    ...called("cut-off arguments for a tool that reads", "ok", args('{"name":"Ada"'), strict),
    callOptions: () => ({ complete: false }),
  },
  {
    ...called(
      "a call found in prose, with nobody to approve it",
      "denied TOOL_APPROVAL_REJECTED",
      args({}),
      writes,
    ),
    callOptions: () => ({ source: "extracted" }),
  },
  withTool("a refinement that rejects", INVALID, {
    input: z.object({}).refine(async () => false, "never right"),
  }),
  withTool("a refinement that throws later", "fatal TOOL_EXECUTION_FAILED", {
    input: z.object({}).refine(async () => thrower(new Error("validator died"))()),
  }),
  withTool(
    "a refinement that never answers, cancelled",
    CANCELLED,
    { input: z.object({}).refine(never) },
    {
      callOptions: () => ({ signal: AbortSignal.timeout(20) }),
    },
  ),
  {
    ...called("a call cancelled before it began", CANCELLED, args({})),
    callOptions: () => ({ signal: AbortSignal.abort() }),
  },
  withTool(
    "a call cancelled while its tool hangs",
    CANCELLED,
    { execute: never },
    {
      callOptions: () => ({ signal: AbortSignal.timeout(20) }),
    },
  ),
  {
    name: "a call cancelled by its own tool, before that returns",
    expect: CANCELLED,
    async act(executor) {
      const cancelling = new AbortController();
      executorTools.cancel = () => cancelling.abort();
      return executor.call({ id: "c1", name: "hostile" }, { signal: cancelling.signal });
    },
    options: {
      tools: [
        hostileTool({
          execute() {
            executorTools.cancel();
            return never();
          },
        }),
      ],
    },
  },
];

const executorTools = { cancel: () => {} };
