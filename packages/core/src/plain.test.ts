import { expect, test } from "vitest";
import { messageOf, renderText, toPlain } from "./plain.ts";

const untouchable = new Proxy(
  {},
  {
    get: () => {
      throw new Error("no");
    },
    ownKeys: () => {
      throw new Error("no");
    },
  },
);

test("any value is copied to plain data, naming what cannot be", () => {
  const shared = { n: 1 };
  const value = {
    shared,
    again: shared,
    big: 2n,
    map: new Map([["k", new Set([1])]]),
    error: new TypeError("bad"),
    untouchable,
  };
  expect(toPlain(value)).toEqual({
    shared: { n: 1 },
    again: { n: 1 },
    big: "2",
    map: { k: [1] },
    error: "TypeError: bad",
    untouchable: "[unreadable: no]",
  });
});

test("depth is limited, also of toJSON that goes on forever", () => {
  const endless = { toJSON: () => ({ toJSON: endless.toJSON }) } as { toJSON: () => unknown };
  expect(renderText({ endless: toPlain(endless) })).toContain("[too deep]");
});

test.each([
  ["an error", new Error("broke"), "broke"],
  ["an error without a message", new TypeError(""), "TypeError"],
  ["text", "plain", "plain"],
  ["an object", { code: 7 }, '{"code":7}'],
  ["nothing", undefined, "undefined"],
  ["a symbol", Symbol("s"), "Symbol(s)"],
  ["a proxy that throws", untouchable, "unprintable error"],
])("the message of %s", (_name, thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});
