import { expect, test } from "vitest";
import { readCall } from "./messages.ts";

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
