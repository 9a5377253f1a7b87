import { expect, test } from "vitest";
import { extract } from "./extract.ts";

test.each([
  ["no options", undefined, "extract takes an object with the tools that may be called; received undefined."],
  [
    "a list instead of options",
    [{ name: "search" }],
    "extract takes an object with the tools that may be called; received an array.",
  ],
  [
    "an option that does not exist",
    { tools: [], famly: "hermes" },
    'Unknown option "famly" for extract. Available options: tools, family, reasoning.',
  ],
  ["no tools", {}, "tools must be a list of definitions; received undefined."],
  [
    "one tool instead of a list",
    { tools: { name: "a" } },
    "tools must be a list of definitions; received object.",
  ],
])("%s is refused with what is expected", (_what, options, message) => {
  expect(() => extract("", options as never)).toThrow(
    expect.objectContaining({ code: "OPTION_INVALID", message }),
  );
});
