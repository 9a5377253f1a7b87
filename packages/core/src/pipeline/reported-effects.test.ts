import { expect, test } from "vitest";
import { checkedEffects, type Effect } from "../call/effects.ts";
import type { CallEvent } from "../call/events.ts";
import { result } from "../call/result.ts";
import type { ToolContext } from "../tool/context.ts";
import { tool } from "../tool/define-tool.ts";
import { Executor } from "./executor.ts";

/** Effects of one call, and what its log says. */
async function reported(execute: (context: ToolContext) => unknown, hooked?: unknown) {
  const logs: string[] = [];
  const executor = new Executor({
    tools: [
      tool({
        name: "save",
        description: "Save",
        input: { type: "object" },
        execute: (_, context) => execute(context),
      }),
    ],
    events: (event: CallEvent) => {
      if (event.type === "call.log") logs.push(`${event.level}: ${event.message}`);
    },
    ...(hooked !== undefined && { hooks: { afterCall: () => ({ effects: [hooked as Effect] }) } }),
  });
  const { effects, isError } = await executor.call({ id: "c", name: "save" });
  return { effects, isError, logs };
}

const kept = (data: unknown) => ({ type: "custom", name: "unreadable effect", data });

test.each([
  [
    "another field for the type",
    { kind: "file", path: "a" },
    "its type must be file, process, network, custom",
  ],
  ["a type that there is not", { type: "constructor" }, "its type must be"],
  ["nothing", null, "it is not an object"],
  ["text", "wrote a file", "it is not an object"],
  ["a file without a path", { type: "file", op: "write" }, "its path must be text"],
  [
    "an operation that there is not",
    { type: "file", path: "a", op: "touch" },
    "its op must be create, write",
  ],
  [
    "arguments that are no list",
    { type: "process", command: "ls", args: "-l" },
    "its args must be a list of texts",
  ],
  [
    "a status that is text",
    { type: "network", method: "GET", url: "u", status: "ok" },
    "its status must be a number",
  ],
])(
  "an effect with %s is kept as it is in a custom one, and its author is told",
  async (_, given, problem) => {
    const wrong = given as unknown as Effect;
    for (const execute of [
      ({ effect }: ToolContext) => effect(wrong),
      () => result({ content: "saved", effects: [wrong] }),
    ]) {
      const { effects, isError, logs } = await reported(execute);
      expect(isError).toBe(false);
      expect(effects).toEqual([kept(given)]);
      expect(logs).toHaveLength(1);
      expect(logs[0]).toContain(`warn: save reported an effect that is none: ${problem}`);
    }
    expect((await reported(() => "saved", given)).effects).toEqual([kept(given)]);
  },
);

test("effects of the four types stay as they are, with and without what is optional", async () => {
  const right: Effect[] = [
    { type: "file", path: "a", op: "move", to: "b", bytesBefore: 1, bytesAfter: 1, before: "x", after: "y" },
    { type: "process", command: "ls", args: ["-l"], pid: 1, exitCode: 0, background: false },
    { type: "network", method: "GET", url: "http://127.0.0.1/" },
    { type: "custom", name: "told", data: { anything: [1] } },
  ];
  const { effects, logs } = await reported(({ effect }) => {
    for (const each of right) effect(each);
  });
  expect(effects).toEqual(right);
  expect(logs).toEqual([]);
});

test("effects of an older record are a list of effects, whatever they are", () => {
  expect(checkedEffects(undefined)).toEqual([]);
  expect(checkedEffects("x")).toEqual([kept("x")]);
  expect(checkedEffects([{ type: "custom", name: "a" }, 7])).toEqual([
    { type: "custom", name: "a" },
    kept(7),
  ]);
});

test.each<[string, () => unknown, unknown]>([
  [
    "that leads back into itself",
    () => {
      const data: Record<string, unknown> = {};
      data.again = data;
      return data;
    },
    { again: "[circular]" },
  ],
  ["with a big integer", () => ({ id: 7n }), { id: "7" }],
  [
    "whose toJSON throws",
    () => ({
      toJSON() {
        throw new Error("gone");
      },
    }),
    "[unreadable: gone]",
  ],
])("data of an effect %s is named in its place, so that the result can be written", async (_, make, data) => {
  const effect: Effect = { type: "custom", name: "told", data: make() };
  const hooked = await reported(() => "saved", effect);
  for (const execute of [
    (context: ToolContext) => context.effect(effect),
    () => result({ content: "saved", effects: [effect] }),
  ])
    expect((await reported(execute)).effects).toEqual([{ type: "custom", name: "told", data }]);
  expect(() => JSON.stringify(hooked.effects)).not.toThrow();
});
