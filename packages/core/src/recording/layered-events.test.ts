import { expect, test } from "vitest";
import { Executor } from "../pipeline/executor.ts";
import { tool } from "../tool/define-tool.ts";
import { type ObservedEvent, observed } from "./layered-events.ts";

const safety = { sideEffects: "read" } as const;
const echo = tool({
  name: "echo",
  description: "Echoes",
  input: { type: "object" },
  safety,
  execute: (_args, { update }) => update("working"),
});
const tools = [echo];

test("every call is one execute_start and one execute_end or execute_cancelled", async () => {
  const seen: ObservedEvent[] = [];
  const executor = new Executor({
    tools,
    events: (event) => {
      const mapped = observed(event);
      if (mapped !== undefined) seen.push(mapped);
    },
  });
  const context = { requestId: "q", stepName: "s" };
  await executor.call({ id: "ok", name: "echo", arguments: { a: 1 } }, context);
  await executor.call({ id: "bad", name: "nobody" });
  await executor.call({ id: "gone", name: "echo" }, { signal: AbortSignal.abort() });
  expect(seen.map((event) => `${event.data.call_id} ${event.action}`)).toEqual([
    "ok execute_start",
    "ok execute_end",
    "bad execute_start",
    "bad execute_end",
    "gone execute_start",
    "gone execute_cancelled",
  ]);
  expect(seen[0]).toEqual({
    timestamp: expect.any(Number),
    layer: "tool",
    action: "execute_start",
    data: { call_id: "ok", name: "echo", args: { a: 1 }, request_id: "q", step_name: "s" },
  });
  expect(seen[1]).toMatchObject({ duration: expect.any(Number), data: { args: { a: 1 } } });
  expect(seen[1]).not.toHaveProperty("error");
  expect(seen[3]?.error).toContain("nobody");
  expect(seen[5]).not.toHaveProperty("duration");
});

test("a call that was cancelled while its tool ran has ended, not been skipped", async () => {
  const actions: string[] = [];
  const cancelling = new AbortController();
  const hang = tool({
    name: "hang",
    description: "Hangs",
    input: { type: "object" },
    safety,
    execute: () => new Promise(() => {}),
  });
  const executor = new Executor({
    tools: [hang],
    events: (event) => void actions.push(observed(event)?.action ?? "-"),
  });
  const pending = executor.call({ id: "c", name: "hang" }, { signal: cancelling.signal });
  cancelling.abort();
  await pending;
  expect(actions).toEqual(["execute_start", "-", "execute_end"]);
});
