import { expect, test } from "vitest";
import { scriptedEngine } from "./scripted.ts";

test.each([
  [{ cals: [] }, 'Unknown option "cals" for reply 1. Did you mean "calls"?'],
  [{ calls: [{ nam: "add" }] }, 'Unknown option "nam" for reply 1.calls[0]. Did you mean "name"?'],
  [{ calls: {} }, "reply 1.calls must be a list of calls"],
  [() => "hello", "reply 1 must be text, or an object"],
])("a reply such as %j is refused, not read as silence", (reply, problem) => {
  expect(() => scriptedEngine([reply as never])).toThrow(problem);
});
