import { expect, test } from "vitest";
import { codesOf } from "./codes.ts";
import { decode } from "./decode.ts";

const MIXED = 'a é ÿ 日本 😀 \ud800 "x" \udc00😀😀 \u0000 z';

test.each(["", "plain", MIXED, "x".repeat(40_000), `${MIXED.repeat(2_000)}`])(
  "one code for every code unit",
  (text) => {
    const codes = codesOf(text);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < 128 ? codes[i] !== code : codes[i]! < 128) expect.fail(`${code} became ${codes[i]} at ${i}`);
    }
    expect(codes[text.length]).toBe(0);
  },
);

test("keys that differ only beyond ASCII stay apart", () => {
  expect(decode('[{"Ã": 1, "é": 2}, {"é": 3, "Ã": True}]')).toMatchObject({
    value: [
      { Ã: 1, é: 2 },
      { é: 3, Ã: true },
    ],
  });
});
