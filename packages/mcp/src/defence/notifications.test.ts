import { expect, test } from "vitest";
import { NotificationQueue } from "./notifications.ts";

test("what is said again is counted, what does not fit is dropped and counted", () => {
  const queue = new NotificationQueue(3);
  for (let times = 0; times < 1_000; times += 1) queue.add("mcp:a", "message", "the same");
  for (let times = 0; times < 10; times += 1) queue.add("mcp:a", "message", `other ${times}\u202e`);
  expect(queue.size).toBe(3);
  expect(queue.dropped).toBe(8);
  expect(queue.take()).toEqual([
    { source: "mcp:a", kind: "message", text: "the same", count: 1_000 },
    { source: "mcp:a", kind: "message", text: "other 0", count: 1 },
    { source: "mcp:a", kind: "message", text: "other 1", count: 1 },
  ]);
  expect([queue.size, queue.dropped, queue.take()]).toEqual([0, 0, []]);
});

test("a long text is cut", () => {
  const queue = new NotificationQueue(3);
  queue.add("mcp:a", "message", "x".repeat(1_000_000));
  expect(queue.take()[0]?.text).toHaveLength(2_001);
});
