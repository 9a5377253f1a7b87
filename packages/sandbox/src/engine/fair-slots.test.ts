import { expect, test } from "vitest";
import { FairSlots } from "./fair-slots.ts";

/** Takes a slot and notes who was granted one, in order. */
function taker(slots: FairSlots) {
  const granted: string[] = [];
  const take = (who: string, signal?: AbortSignal) =>
    slots.take(who, signal).then((isGranted) => {
      granted.push(isGranted ? who : `no ${who}`);
    });
  return { granted, take };
}

test("a principal that holds all of its slots leaves those of another free", async () => {
  const slots = new FairSlots({ size: 2, queue: 10 });
  const { granted, take } = taker(slots);
  await Promise.all([take("eve"), take("eve")]);
  void take("eve");
  await take("bob");
  expect(granted).toEqual(["eve", "eve", "bob"]);
});

test("a free slot goes to the principal that holds the fewest, not to the one that asked most", async () => {
  const slots = new FairSlots({ size: 2, queue: 10, principals: 1 });
  const { granted, take } = taker(slots);
  await Promise.all([take("eve"), take("eve")]);
  const waiting = [take("eve"), take("eve"), take("bob")];
  slots.give("eve");
  await waiting[2];
  expect(granted).toEqual(["eve", "eve", "bob"]);
  slots.give("bob");
  await waiting[0];
  expect(granted).toEqual(["eve", "eve", "bob", "eve"]);
});

test("a full queue refuses its own principal and nobody else", async () => {
  const slots = new FairSlots({ size: 1, queue: 1, principals: 1 });
  const { granted, take } = taker(slots);
  await take("eve");
  const queued = take("eve");
  await take("eve");
  expect(granted).toEqual(["eve", "no eve"]);
  const bob = take("bob");
  slots.give("eve");
  await queued;
  slots.give("eve");
  await bob;
  expect(granted).toEqual(["eve", "no eve", "eve", "bob"]);
});

test("a request that is given up leaves the queue", async () => {
  const slots = new FairSlots({ size: 1, queue: 1 });
  const { granted, take } = taker(slots);
  await take("eve");
  const leaving = new AbortController();
  const queued = take("eve", leaving.signal);
  leaving.abort();
  await queued;
  await take("eve", leaving.signal);
  slots.give("eve");
  await take("eve");
  expect(granted).toEqual(["eve", "no eve", "no eve", "eve"]);
});
