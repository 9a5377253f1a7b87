import { expect, test } from "vitest";
import { copy, freeze, frozenCopy, harden, snapshot } from "./copy.ts";

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

test("bytes of every kind are made anew, and are of the same kind", () => {
  const bytes = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);
  const { buffer } = bytes;
  const given = [
    Buffer.from(buffer, 2, 4),
    new Uint16Array(buffer, 2, 2),
    new Float32Array(buffer),
    new DataView(buffer, 2, 3),
    buffer,
  ];
  const before = structuredClone(given).map(bytesOf);
  const made = copy(given);
  const deep =
    copy(new Map([["m", new Map([["held", given]])]]))
      .get("m")
      ?.get("held") ?? [];
  bytes.fill(99);
  expect(made.map(bytesOf)).toEqual(before);
  expect(deep.map(bytesOf)).toEqual(before);
  expect(made.map((each) => each.constructor)).toEqual(given.map((each) => each.constructor));
});

function bytesOf(value: ArrayBufferView | ArrayBuffer): number[] {
  if (value instanceof ArrayBuffer) return [...new Uint8Array(value)];
  return [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
}

test("a map in a map, a set in a list of a map and an address are made anew", () => {
  const given = new Map([["a", new Map([["b", [new Set([1])]]])]]);
  const at = new URL("https://example.org/");
  const [made, where] = copy([given, at] as const);
  given.get("a")?.get("b")?.[0]?.add(2);
  given.get("a")?.set("c", []);
  at.hostname = "elsewhere.example.org";
  expect(made).toEqual(new Map([["a", new Map([["b", [new Set([1])]]])]]));
  expect(where.hostname).toBe("example.org");
});

class Money {
  amount = 20;
}

test("instances of other classes are shared, and told as data", () => {
  const price = new Money();
  expect(copy({ price }).price).toBe(price);
  expect(frozenCopy({ price }).price).toBe(price);
  expect(Object.isFrozen(freeze({ price }).price)).toBe(false);
  const told: unknown = snapshot({
    price,
    at: new Date(0),
    set: new Set([{ a: 1 }]),
    bytes: Buffer.from("ab"),
  });
  expect(told).toEqual({
    price: { amount: 20 },
    at: "1970-01-01T00:00:00.000Z",
    set: [{ a: 1 }],
    bytes: "[2 bytes]",
  });
  expect(harden(told)).toBe(true);
});

test("what somebody else froze outside is hardened inside, and an instance in it is noticed", () => {
  const list = ["ada"];
  expect(harden(Object.freeze({ to: { list } }))).toBe(true);
  expect(Object.isFrozen(list)).toBe(true);
  expect(harden(Object.freeze({ to: [{ at: new Date() }] }))).toBe(false);
  const ring: { self?: unknown; inner: { at?: Date } } = { inner: {} };
  ring.self = Object.freeze([ring]);
  expect(harden(Object.freeze(ring))).toBe(true);
  expect(Object.isFrozen(ring.inner)).toBe(true);
  let deep: unknown = [new Date()];
  for (let depth = 0; depth < 100_000; depth++) deep = Object.freeze([deep]);
  expect(harden(deep)).toBe(false);
});

test("a map that holds itself has an end, and what throws when it is read is named", () => {
  const map = new Map<string, unknown>();
  map.set("self", map);
  const made = copy(map);
  expect(made).not.toBe(map);
  expect(made.get("self")).toBe(made);
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
