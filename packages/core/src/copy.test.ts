import { expect, test } from "vitest";
import { copy, freeze, snapshot } from "./copy.ts";

test("a copy shares nothing that can be changed", () => {
  const given = {
    list: [{ a: 1 }],
    when: new Date(5),
    map: new Map([["k", { b: 2 }]]),
    set: new Set([1]),
    bytes: new Uint8Array([1, 2]),
  };
  const made = copy(given);
  expect(made).toEqual(given);
  given.list[0]!.a = 9;
  given.when.setTime(9);
  given.map.get("k")!.b = 9;
  given.set.add(9);
  given.bytes[0] = 9;
  expect(made).toEqual({
    list: [{ a: 1 }],
    when: new Date(5),
    map: new Map([["k", { b: 2 }]]),
    set: new Set([1]),
    bytes: new Uint8Array([1, 2]),
  });
});

test("a key called __proto__ is a key", () => {
  const made = copy(JSON.parse('{"__proto__": {"x": {"y": 1}}}'));
  expect(Object.keys(made)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
});

test("values without end, and values deeper than the stack, are copied and frozen", () => {
  const ring: Record<string, unknown> = { list: [] };
  (ring.list as unknown[]).push(ring);
  const made = copy(ring);
  freeze(made);
  expect(Object.isFrozen((made.list as unknown[])[0])).toBe(true);
  expect(Object.isFrozen(ring)).toBe(false);
  let deep: unknown = { leaf: true };
  for (let depth = 0; depth < 100_000; depth++) deep = depth % 2 === 0 ? [deep] : { deep };
  let seen: unknown = freeze(copy(deep));
  for (let depth = 99_999; depth >= 0; depth--) {
    expect(Object.isFrozen(seen)).toBe(true);
    seen = depth % 2 === 0 ? (seen as unknown[])[0] : (seen as { deep: unknown }).deep;
  }
  expect(seen).toEqual({ leaf: true });
});

test("instances of classes are shared", () => {
  const at = new URL("https://example.org/");
  expect(copy({ at }).at).toBe(at);
  expect(Object.isFrozen(freeze({ at }).at)).toBe(false);
});

test("a map that holds itself has an end, and what throws when it is read is named", () => {
  const map = new Map<string, unknown>();
  map.set("self", map);
  expect(copy(map)).not.toBe(map);
  const hostile = {
    get secret(): string {
      throw new Error("do not touch");
    },
  };
  expect(() => copy({ hostile })).toThrow("do not touch");
  expect(snapshot({ hostile })).toEqual({ hostile: { secret: "[unreadable: do not touch]" } });
});

test("a value whose parts are shared is copied once a part", () => {
  let value: unknown = { leaf: true };
  for (let level = 0; level < 60; level++) value = { left: value, right: value };
  const made = copy(value) as { left: unknown; right: unknown };
  expect([Object.is(made.left, made.right), Object.is(made, value)]).toEqual([true, false]);
});
