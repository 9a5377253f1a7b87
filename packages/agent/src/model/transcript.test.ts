import { describe, expect, test } from "vitest";
import type { Message, ToolResultPart } from "./message.ts";
import { repairTranscript, transcriptProblems } from "./transcript.ts";

const calls = (...ids: string[]): Message => ({
  role: "assistant",
  finishReason: "tool-calls",
  content: ids.map((id) => ({ type: "tool-call", id, name: "t", arguments: "{}" })),
});
const part = (callId: string, text = callId): ToolResultPart => ({
  callId,
  name: "t",
  executionId: "",
  isError: false,
  content: [{ type: "text", text }],
});
const results = (...ids: string[]): Message => ({ role: "tool", results: ids.map((id) => part(id)) });
const user: Message = { role: "user", content: "u" };

describe("repairing a transcript", () => {
  test("leaves a valid one as it is", () => {
    const valid = [user, calls("a", "b"), results("a", "b"), user];
    expect(repairTranscript(valid)).toEqual({ messages: valid, changes: [] });
    expect(repairTranscript(valid).messages).toBe(valid);
  });

  test.each<[string, Message[], number]>([
    ["a call without a result", [user, calls("a")], 1],
    ["one result of two is missing", [calls("a", "b"), results("b")], 1],
    ["results in another order", [calls("a", "b"), results("b", "a")], 0],
    ["a message between a call and its result", [calls("a"), user, results("a")], 1],
    ["a result without a call", [user, results("x")], 1],
    ["a result that comes twice", [calls("a"), results("a", "a")], 1],
    ["results split over messages", [calls("a", "b"), results("a"), results("b")], 1],
    ["call ids that repeat", [calls("a"), results("a"), calls("a"), results("a")], 1],
    ["an empty answer", [user, { role: "assistant", finishReason: "stop", content: [] }], 1],
    ["an empty call id", [calls("", ""), results("", "")], 2],
  ])("makes good %s", (_name, messages, changes) => {
    const before = JSON.stringify(messages);
    const repaired = repairTranscript(messages);
    expect(transcriptProblems(messages)).not.toEqual([]);
    expect(transcriptProblems(repaired.messages)).toEqual([]);
    expect(repaired.changes.length).toBeGreaterThanOrEqual(changes);
    expect(JSON.stringify(messages)).toBe(before);
  });

  test("a result that is there is never replaced, also when its id repeats", () => {
    const messages: Message[] = [
      calls("a"),
      { role: "tool", results: [part("a", "first")] },
      calls("a"),
      { role: "tool", results: [part("a", "second")] },
    ];
    const texts = repairTranscript(messages).messages.flatMap((message) =>
      message.role === "tool" ? message.results.map(({ content }) => content) : [],
    );
    expect(texts).toEqual([[{ type: "text", text: "first" }], [{ type: "text", text: "second" }]]);
  });

  test("the model is told that the outcome of an orphan call is unknown", () => {
    const [, message] = repairTranscript([calls("a")]).messages;
    expect(message).toMatchObject({ role: "tool", results: [{ isError: true }] });
    expect(JSON.stringify(message)).toContain("TOOL_OUTCOME_UNKNOWN");
  });
});
