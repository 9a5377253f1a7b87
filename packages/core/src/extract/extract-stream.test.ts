import { expect, test } from "vitest";
import { type ExtractEvent, extractStream } from "./index.ts";

const tools = [{ name: "now" }];
const call = '<tool_call>{"name": "now", "arguments": {}}</tool_call>';
const found = { type: "call", call: { name: "now", arguments: "{}", family: "hermes", complete: true } };

/** The events of each chunk, and those of the end. */
function run(chunks: string[], reasoning?: "open" | "closed"): ExtractEvent[][] {
  const stream = extractStream({ tools, reasoning });
  return [...chunks.map((chunk) => stream.push(chunk)), stream.end()];
}

test("text is handed out as it comes, but for what may begin an envelope", () => {
  expect(run(["Hello ", "there <", "b> and", " <tool"])).toEqual([
    [{ type: "text", text: "Hello " }],
    [{ type: "text", text: "there " }, { type: "pending" }],
    [{ type: "text", text: "<b> and" }],
    [{ type: "text", text: " " }, { type: "pending" }],
    [{ type: "text", text: "<tool" }],
  ]);
});

test("a call comes with its last character when no reasoning can be open", () => {
  expect(run(["Hm. ", call.slice(0, 20), `${call.slice(20)}\n`], "closed")).toEqual([
    [{ type: "text", text: "Hm. " }],
    [{ type: "pending" }],
    [found, { type: "text", text: "\n" }],
    [],
  ]);
});

test("a call waits for the end while it may turn out to be reasoning", () => {
  expect(run([call, "\nSo far."])).toEqual([
    [{ type: "pending" }],
    [],
    [found, { type: "text", text: "\nSo far." }],
  ]);
  expect(
    run([call, "\nOr not.</think>", "Hello."])
      .flat()
      .filter((event) => event.type !== "pending"),
  ).toEqual([
    { type: "text", text: `${call}\nOr not.</think>` },
    { type: "text", text: "Hello." },
  ]);
});

test("a call comes at once after reasoning that the text closed", () => {
  const [first, second] = run(["<think>Hm.</think>", `${call}\n`]);
  expect(first).toEqual([{ type: "text", text: "<think>Hm.</think>" }]);
  expect(second).toEqual([found, { type: "text", text: "\n" }]);
});

test("reasoning is handed out while it is being written", () => {
  const [first] = run([`<think>${"Let me think about this. ".repeat(8)}`]);
  expect(first?.[0]).toMatchObject({ type: "text" });
});

test("code is handed out while it is being written", () => {
  const [first, second] = run(["```js\nconst a", " = 1;\n"]);
  expect(first).toEqual([{ type: "text", text: "```js\nconst a" }]);
  expect(second).toEqual([{ type: "text", text: " = 1;\n" }]);
});
