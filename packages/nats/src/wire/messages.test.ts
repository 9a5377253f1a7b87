import { expect, test } from "vitest";
import { readCall, readResult, readState } from "./messages.ts";

const call = { id: "c", name: "echo", arguments: {} };
const read = (more: object) => readCall(JSON.stringify({ call, ...more }), "tool.execute.echo");

test.each([
  ["executionId", 7],
  ["executionId", {}],
  ["executionId", false],
  ["caller", ["desk"]],
])("a call whose %s is %o is no call: it would be filed where nobody looks", (field, value) => {
  expect(() => read({ [field]: value })).toThrow(`the ${field} of the call is not a text`);
});

test.each([undefined, null, ""])("an execution id and caller of %o are absent", (absent) => {
  expect(read({ executionId: absent, caller: absent }).key).toBe("id.c");
});

test("what a call is narrowed to comes with it, and a list that is none leaves nothing wide", () => {
  expect(read({ options: { allow: ["echo"] } }).options.allow).toEqual(["echo"]);
  for (const allow of ["echo", [7], null])
    expect(() => read({ options: { allow } })).toThrow("not a list of names");
});

test("a message that readers would understand differently is refused, to a worker and to a caller", () => {
  const text = (args: string) => `{"call":{"id":"c","name":"echo","arguments":${args}}}`;
  expect(() => readCall(text('{"a":1,"a":2}'), "tool.execute.echo")).toThrow(
    'the message has "a" twice in one object.',
  );
  expect(() => readCall(text('{"a":9007199254740993}'), "tool.execute.echo")).toThrow(
    "the message has the number 9007199254740993, which would become 9007199254740992. Send it as a string.",
  );
  const result = (value: string) =>
    `{"callId":"c","executionId":"e","name":"echo","isError":false,"content":[],"value":${value}}`;
  expect(readResult(result("9007199254740992")).value).toBe(9007199254740992);
  expect(() => readResult(result("9007199254740993"))).toThrow("which would become 9007199254740992");
  expect(() => readResult(result('{"a":1,"a":2}'))).toThrow("twice in one object");
});

test("effects of a worker that are none are kept in custom ones, so that readers can rely on their shape", () => {
  const told = { callId: "c", executionId: "e", name: "echo", isError: false, content: [], effects: [null] };
  const custom = { type: "custom", name: "unreadable effect", data: null };
  expect(readResult(JSON.stringify(told)).effects).toEqual([custom]);
  const final = { state: "final", fingerprint: "f", result: told };
  expect(readState(JSON.stringify(final))).toMatchObject({ result: { effects: [custom] } });
});
