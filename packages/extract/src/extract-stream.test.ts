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

test.each([
  ["words", "Hello there. The answer is 42; a < b, and so on.\n- one\n- two\n", 2],
  ["one long word", "x".repeat(400), 0],
  ["text without spaces", "你好，世界。这是一个没有空格的回答。".repeat(9), 0],
  ["inline code", "Use `npm run build` now, or ``a`b`` then, and read on for a while.\n", 16],
  ["links", "See [the docs](https://x.y/z).\n[More](https://a.b) of it.\n", 5],
  ["a heading that is none", "Action items follow from this discussion.\n", 8],
  ["a fence", `\`\`\`ts\n${"const a = { b: 1 };\n".repeat(40)}\`\`\`\nAnd on.`, 5],
  ["what follows the end of the turn", `Done.</s>${" and on".repeat(4_000)}`, 3],
])("%s are handed out without waiting for more than a mark needs", (_what, text, most) => {
  const stream = extractStream({ tools });
  let held = 0;
  let longest = 0;
  for (const character of text) {
    held += character.length;
    for (const event of stream.push(character)) if (event.type === "text") held -= event.text.length;
    longest = Math.max(longest, held);
  }
  expect(longest).toBeLessThanOrEqual(most);
});

test("code is handed out while it is being written", () => {
  const [first, second] = run(["```js\nconst a", " = 1;\n"]);
  expect(first).toEqual([{ type: "text", text: "```js\nconst a" }]);
  expect(second).toEqual([{ type: "text", text: " = 1;\n" }]);
});
