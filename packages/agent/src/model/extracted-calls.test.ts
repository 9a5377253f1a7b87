import { tool } from "@toolrig/core";
import { describe, expect, test } from "vitest";
import { scriptedEngine } from "../engines/scripted.ts";
import { AgentLoop } from "../loop/loop.ts";
import { withExtractedCalls } from "./extracted-calls.ts";
import type { AssistantMessage } from "./message.ts";

const call = '<tool_call>{"name": "send", "arguments": {}}</tool_call>';

/** How often a tool that reaches out ran when the model wrote `text`. */
async function sent(text: string, extract: boolean | { family: string; trust?: boolean }): Promise<number> {
  let count = 0;
  const send = tool({ name: "send", description: "Send", input: { type: "object" }, execute: () => ++count });
  await new AgentLoop({ engine: scriptedEngine([text, "ok"]), tools: [send], extract }).run("go").outcome;
  return count;
}

describe("a family that is trusted", () => {
  test("makes calls that are the model's own", async () => {
    expect(await sent(call, { family: "hermes" })).toBe(0);
    expect(await sent(call, { family: "hermes", trust: true })).toBe(1);
  });

  test("is not another family", async () => {
    expect(await sent("<function=send></function>", { family: "hermes", trust: true })).toBe(0);
  });

  test("does not run what was cut off, or what is only shown", async () => {
    expect(await sent(call.slice(0, -14), { family: "hermes", trust: true })).toBe(0);
    expect(await sent(`For example: ${call}`, { family: "hermes", trust: true })).toBe(0);
  });
});

test.each([
  ["hermess", { family: "hermess" }],
  ["extract.family", { trust: true }],
  ["extract.trust", { family: "hermes", trust: "yes" }],
])("the option is checked when the loop is made: %s", (named, extract) => {
  const engine = scriptedEngine([]);
  expect(() => new AgentLoop({ engine, extract } as never)).toThrow(named);
});

test("a message stays as it is when extraction throws", () => {
  const message: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text: call.replace("{}", '{"to": {}}') }],
    finishReason: "stop",
  };
  const broken = {
    name: "send",
    description: "",
    get inputSchema(): Record<string, unknown> {
      throw new Error("no schema");
    },
  };
  const extraction = { family: undefined, trust: false };
  expect(withExtractedCalls(message, [broken], extraction)).toEqual(message);
});
