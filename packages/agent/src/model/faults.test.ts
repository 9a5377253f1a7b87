import { FakeClock } from "@toolrig/core/testing";
import { describe, expect, test } from "vitest";
import { scriptedEngine } from "../engines/scripted.ts";
import { AgentLoop } from "../loop/loop.ts";
import type { LoopEvent } from "../run/loop-event.ts";
import type { EngineEvent } from "./engine.ts";
import { faultOf, ModelFault } from "./faults.ts";

const http = (statusCode: number, extra: object = {}) =>
  Object.assign(new Error(`HTTP ${statusCode}`), { statusCode, ...extra });

describe("what an error means", () => {
  test.each<[string, unknown, boolean]>([
    ["rate_limit", http(429), true],
    ["rate_limit", { type: "error", error: { type: "rate_limit_error", message: "slow down" } }, true],
    ["overloaded", http(529), true],
    ["overloaded", http(503), true],
    ["overloaded", { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, true],
    ["network", Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } }), true],
    ["authentication", http(401), false],
    ["authentication", http(429, { data: { error: { code: "insufficient_quota" } } }), false],
    ["invalid_request", http(400), false],
    ["context_length", http(400, { data: { error: { code: "context_length_exceeded" } } }), false],
    ["context_length", http(400, { message: "prompt is too long: 250000 tokens" }), false],
    ["failed", new Error("a bug"), false],
    ["failed", undefined, false],
    ["failed", "text", false],
  ])("%s", (kind, thrown, retryable) => {
    expect(faultOf(thrown)).toMatchObject({ kind, retryable });
  });

  test("says how long the provider asked to wait", () => {
    expect(faultOf(http(429, { responseHeaders: { "retry-after": "7" } })).retryAfterMs).toBe(7_000);
    expect(faultOf(http(429, { responseHeaders: { "Retry-After-Ms": "250" } })).retryAfterMs).toBe(250);
    const date = new Date(61_000).toUTCString();
    expect(
      faultOf(http(503, { responseHeaders: new Headers({ "retry-after": date }) }), 1_000).retryAfterMs,
    ).toBe(60_000);
    expect(faultOf(http(429, { responseHeaders: { "retry-after": "soon" } })).retryAfterMs).toBeUndefined();
  });

  test("says how long Google asked to wait, which it does in the body", () => {
    const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" };
    const error = { code: 429, status: "RESOURCE_EXHAUSTED", message: "quota", details: [{}, info] };
    const wanted = { kind: "rate_limit", retryAfterMs: 34_070 };
    expect(faultOf({ error })).toMatchObject(wanted);
    const body = JSON.stringify({ error }, undefined, 2);
    expect(faultOf(http(429, { responseBody: body, data: { error: { code: 429 } } }))).toMatchObject(wanted);
    const both = http(429, { responseBody: body, responseHeaders: { "retry-after": "7" } });
    expect(faultOf(both).retryAfterMs).toBe(7_000);
  });

  test("an error that cannot be read is a failure all the same", () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
      },
    );
    expect(faultOf(hostile).kind).toBe("failed");
  });
});

/** Runs on a clock that moves whenever the run waits for it. */
async function runOnClock(replies: Parameters<typeof scriptedEngine>[0], options: object = {}) {
  const clock = new FakeClock();
  const events: LoopEvent[] = [];
  const loop = new AgentLoop({
    engine: scriptedEngine(replies),
    clock,
    events: (event) => events.push(event),
    ...options,
  });
  let over = false;
  const outcome = loop.run("go").outcome.finally(() => {
    over = true;
  });
  while (!over) await clock.advance(1_000);
  const retries = events.flatMap((event) => (event.type === "model.retry" ? [event] : []));
  return { outcome: await outcome, retries, clock };
}

describe("a failing model", () => {
  test("is asked again, and what it had streamed is void", async () => {
    const { outcome, retries } = await runOnClock([
      { text: "half an ans", error: http(529) },
      "whole answer",
    ]);
    expect(outcome).toMatchObject({ status: "answered", text: "whole answer", turns: 1 });
    expect(outcome.messages).toHaveLength(2);
    expect(retries).toMatchObject([{ kind: "overloaded", attempt: 1 }]);
  });

  test("waits at least as long as the provider asks, with jitter on top", async () => {
    const limited = { error: http(429, { responseHeaders: { "retry-after": "3" } }) };
    const { retries, outcome } = await runOnClock([limited, limited, "ok"]);
    expect(outcome.status).toBe("answered");
    expect(retries).toHaveLength(2);
    for (const [index, { delayMs }] of retries.entries()) {
      expect(delayMs).toBeGreaterThanOrEqual(3_000);
      expect(delayMs).toBeLessThanOrEqual(3_000 + 500 * 2 ** index);
    }
  });

  test("is not waited for when the provider asks for too long", async () => {
    const { retries, outcome } = await runOnClock([
      { error: http(429, { responseHeaders: { "retry-after": "3600" } }) },
    ]);
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "ENGINE_FAILED", fault: "rate_limit" },
    });
    expect(retries).toEqual([]);
  });

  test("is not asked again for what cannot pass", async () => {
    const { outcome } = await runOnClock([{ error: http(401) }, "never"]);
    expect(outcome).toMatchObject({ status: "failed", error: { fault: "authentication" }, turns: 1 });
  });

  test("fails the run after the last attempt, with the transcript as it was before", async () => {
    const { outcome, retries } = await runOnClock(() => ({ error: new ModelFault("overloaded", "busy") }));
    expect(outcome).toMatchObject({ status: "failed", error: { message: "busy" } });
    expect(retries).toHaveLength(2);
    expect(outcome.messages).toEqual([{ role: "user", content: "go" }]);
  });

  test.each<[string, EngineEvent[]]>([
    ["empty", [{ type: "finish", reason: "stop" }]],
    [
      "empty",
      [
        { type: "reasoning", text: "hm" },
        { type: "finish", reason: "stop" },
      ],
    ],
    ["incomplete", []],
    ["incomplete", [{ type: "tool-call", id: "1", name: "x", arguments: "{}" }]],
  ])("that gives an %s stream is asked again", async (kind, events) => {
    const { outcome, retries } = await runOnClock([events, "ok"]);
    expect(outcome.text).toBe("ok");
    expect(retries).toMatchObject([{ kind }]);
  });

  test("that falls silent is given up, also when it ignores its signal, and leaves no timer", async () => {
    async function* silent(): AsyncGenerator<EngineEvent> {
      yield { type: "text", text: "and th" };
      await new Promise(() => {});
    }
    const { outcome, retries, clock } = await runOnClock([silent(), "ok"], { idleTimeout: "30s" });
    expect(outcome.text).toBe("ok");
    expect(retries).toMatchObject([{ kind: "idle", message: expect.stringContaining("30s") }]);
    expect(clock.pending).toBe(0);
  });
});
