import { expect, test } from "vitest";
import { TransientMap } from "./transient-map.ts";

test("what is taken is gone, and the others keep their order", () => {
  const map = new TransientMap<string, { n: number }>();
  for (const n of [1, 2, 3]) map.add(`k${n}`, { n });
  expect([map.take("k2"), map.take("k2"), map.get("k2"), map.has("k2")]).toEqual([
    { n: 2 },
    undefined,
    undefined,
    false,
  ]);
  map.add("k2", { n: 4 });
  expect(map.values()).toEqual([{ n: 1 }, { n: 3 }, { n: 4 }]);
  expect(map.size).toBe(3);
});

test("what goes while all are looked at is not met again, and what comes is", () => {
  const map = new TransientMap<number, { n: number }>();
  for (const n of [1, 2, 3]) map.add(n, { n });
  const met: number[] = [];
  for (const [key] of map.entries()) {
    met.push(key);
    map.take(2);
    if (key === 1) map.add(4, { n: 4 });
  }
  expect(met).toEqual([1, 3, 4]);
});
