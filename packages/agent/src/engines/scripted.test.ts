import { expect, test } from "vitest";
import { scriptedEngine } from "./scripted.ts";

test.each([
  [{ cals: [] }, 'reply 1 has no setting "cals". Did you mean "calls"?'],
  [{ calls: [{ nam: "add" }] }, 'A call of reply 1 has no setting "nam"'],
  [{ calls: {} }, "calls of reply 1 must be a list of calls"],
  [() => "hello", "reply 1 must be text, or an object"],
])("a reply such as %j is refused, not read as silence", (reply, problem) => {
  expect(() => scriptedEngine([reply as never])).toThrow(problem);
});
