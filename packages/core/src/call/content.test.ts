import { expect, test } from "vitest";
import { textOf } from "./content.ts";

test("the text of content is its text parts", () => {
  expect(
    textOf([
      { type: "text", text: "a" },
      { type: "image", data: "", mimeType: "image/png" },
      { type: "text", text: "b" },
    ]),
  ).toBe("a\nb");
  expect(textOf([])).toBe("");
});
