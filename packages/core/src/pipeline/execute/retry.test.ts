import { afterEach, expect, test, vi } from "vitest";
import type { CallEvent } from "../../call/events.ts";
import { transient } from "../../failure/failure.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { tool } from "../../tool/define-tool.ts";
import type { AnyTool, ToolSpec } from "../../tool/tool.ts";
import { Executor } from "../executor.ts";

type Spec = Partial<ToolSpec<unknown, unknown>>;

function setUp(spec: Spec, others: readonly AnyTool[] = []) {
  const clock = new FakeClock();
  const events: CallEvent[] = [];
  const base: ToolSpec<unknown, unknown> = {
    name: "fetch_page",
    description: "Fetches",
    input: { type: "object" },
    safety: { sideEffects: "read", idempotent: true },
    execute: () => "page",
  };
  const executor = new Executor({
    tools: [tool({ ...base, ...spec }), ...others],
    clock,
    events: (event) => events.push(event),
  });
  const delays = () => events.flatMap((event) => (event.type === "call.retry" ? [event.delayMs] : []));
  return {
    clock,
    executor,
    delays,
    call: (signal?: AbortSignal) => executor.call({ id: "c", name: "fetch_page" }, signal && { signal }),
  };
}

afterEach(() => vi.restoreAllMocks());

const down = () => transient("service is down");

test("starts an idempotent tool again after a transient failure, and says how often it ran", async () => {
  const { clock, call, executor } = setUp({
    execute: (_args, { attempt }) => (attempt < 3 ? down() : `page ${attempt}`),
  });
  const pending = call();
  await clock.advance(60_000);
  expect(await pending).toMatchObject({ value: "page 3", attempts: 3 });
  expect(executor.health().retries).toBe(2);
});

test("gives up after its attempts with the last failure", async () => {
  const { clock, call, delays } = setUp({ retry: { attempts: 4 }, execute: down });
  const pending = call();
  await clock.advance(60_000);
  expect(await pending).toMatchObject({ attempts: 4, failure: { code: "TOOL_TRANSIENT", retryable: true } });
  expect(delays()).toHaveLength(3);
});

test("waits twice as long each time, up to the most, and spreads the waits", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0.999_999);
  const { clock, call, delays } = setUp({
    retry: { attempts: 6, backoff: 100, maxBackoff: 500 },
    execute: down,
  });
  const pending = call();
  await clock.advance(60_000);
  await pending;
  expect(delays().map(Math.round)).toEqual([100, 200, 400, 500, 500]);
  vi.spyOn(Math, "random").mockReturnValue(0);
  const again = setUp({ retry: { attempts: 3, backoff: 100 }, execute: down });
  const second = again.call();
  await again.clock.advance(1_000);
  await second;
  expect(again.delays()).toEqual([0, 0]);
});

test("waits as long as the other side asks, and not at all when that is too long", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const busy = (retryAfterMs: number) => () => {
    throw Object.assign(new Error("busy"), { status: 429, retryAfterMs });
  };
  const short = setUp({ retry: { attempts: 2 }, execute: busy(3_000) });
  const first = short.call();
  await short.clock.advance(5_000);
  await first;
  expect(short.delays()).toEqual([3_000]);
  const long = setUp({ retry: { attempts: 2, maxBackoff: "1s" }, execute: busy(3_000) });
  expect((await long.call()).attempts).toBe(1);
});

const overloaded = Object.assign(new Error("overloaded"), { statusCode: 503 });
const reset = new TypeError("fetch failed", {
  cause: Object.assign(new Error("read"), { code: "ECONNRESET" }),
});

test.each<[string, number, Spec]>([
  ["a tool that is not idempotent", 1, { safety: { sideEffects: "read" }, execute: down }],
  ["a write that is not idempotent", 1, { safety: { sideEffects: "write" }, execute: down }],
  ["a write that is idempotent", 3, { safety: { sideEffects: "write", idempotent: true }, execute: down }],
  ["a tool without retries", 1, { retry: { attempts: 1 }, execute: down }],
  ["an error that is the tool's own", 1, { execute: () => Promise.reject(new Error("bug")) }],
  ["a connection that was reset, two causes deep", 3, { execute: () => Promise.reject(reset) }],
  ["a server that is overloaded", 3, { execute: () => Promise.reject(overloaded) }],
  ["a timeout", 1, { timeout: 10, execute: () => new Promise(() => {}) }],
  [
    "a timeout that may be repeated",
    3,
    { timeout: 10, retry: { timeouts: true }, execute: () => new Promise(() => {}) },
  ],
])("%s is started %i times", async (_name, attempts, spec) => {
  const { clock, call } = setUp(spec);
  const pending = call();
  await clock.advance(60_000);
  expect((await pending).attempts).toBe(attempts);
});

test("a call cancelled between two attempts ends at once", async () => {
  const cancelling = new AbortController();
  const { clock, call } = setUp({ retry: { backoff: "10s" }, execute: down });
  vi.spyOn(Math, "random").mockReturnValue(0.9);
  const pending = call(cancelling.signal);
  await clock.advance(1);
  cancelling.abort();
  expect(await pending).toMatchObject({ attempts: 1, failure: { code: "TOOL_CANCELLED" } });
  await clock.advance(0);
  expect(clock.pending).toBe(0);
});

test.each<[string, Spec]>([
  [
    "fails while the payment is prepared",
    {
      execute(_args, { attempt, call }) {
        void call("pay", { attempt });
        return down();
      },
    },
  ],
  [
    "fails while a tool that pays is prepared",
    {
      execute(_args, { attempt, call }) {
        void call("choose", { attempt });
        return down();
      },
    },
  ],
  [
    "fails while the payment runs",
    {
      execute: async (_args, { attempt, call }) => {
        const begun = call("pay", { attempt });
        await Promise.race([begun, new Promise((resolve) => setTimeout(resolve, 0))]);
        return down();
      },
    },
  ],
  [
    "times out while the payment runs",
    {
      timeout: 10,
      retry: { timeouts: true },
      execute: async (_args, { attempt, call }) => (await call("pay", { attempt })).value,
    },
  ],
])("a tool that calls one that pays, and %s, is not started again beside it", async (_what, spec) => {
  const paid: unknown[] = [];
  const end: (() => void)[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays, until the test ends it",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    execute: (args) => {
      paid.push(args);
      return new Promise<void>((resolve) => end.push(resolve));
    },
  });
  const choose = tool({
    name: "choose",
    description: "Has another tool pay",
    input: { type: "object" },
    safety: { sideEffects: "read" },
    execute: async (args, { call }) => (await call("pay", args)).value,
  });
  const safety = { sideEffects: "external", idempotent: true } as const;
  const { clock, call } = setUp({ safety, ...spec }, [pay, choose]);
  const pending = call();
  await clock.advance(30_000);
  expect(paid.length).toBeLessThan(2);
  for (const each of end) each();
  await pending;
});
