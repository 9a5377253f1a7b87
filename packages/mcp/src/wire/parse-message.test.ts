import { expect, test } from "vitest";
import { parseMessage, REQUEST_LIMITS } from "./parse-message.ts";

const refused = (text: string) => {
  const parsed = parseMessage(text, REQUEST_LIMITS);
  return "refused" in parsed ? parsed.refused : undefined;
};
const withId = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"a":1,"a":2}}`;

test.each([
  ["3", 3],
  ["9007199254740991", 9007199254740991],
  [" -7 ", -7],
  ['"9007199254740993"', "9007199254740993"],
  ['"a"', "a"],
])("a refused message with the id %s is answered under it", (written, id) => {
  expect(refused(withId(written))).toMatchObject({ id, code: -32_600 });
});

test.each(["9007199254740993", "-9007199254740993", "1e400", "1.0000000000000000001", "1.5", "{}", "null"])(
  "a refused message is not answered under a rounded id: %s",
  (written) => {
    expect(refused(withId(written))).toMatchObject({ id: null });
  },
);

test("a message with two ids is answered under none", () => {
  expect(refused('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}')).toMatchObject({ id: null });
});
