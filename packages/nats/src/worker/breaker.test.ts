import { failedResult } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { Breaker } from "./breaker.ts";

const call = { id: "c", name: "flaky" };
const fatal = {
  ...failedResult(call, "e", { code: "TOOL_EXECUTION_FAILED", message: "disk is gone" }),
  attempts: 1,
};

test("a tool that keeps failing rests, and listeners hear of it", () => {
  const breaker = new Breaker({ failures: 2, cooldownMs: 60_000 });
  let heard = 0;
  const stop = breaker.onChange(() => {
    heard += 1;
  });
  breaker.observe("flaky", fatal);
  expect([heard, breaker.reason("flaky")]).toEqual([0, undefined]);
  breaker.observe("flaky", fatal);
  expect([heard, breaker.reason("other")]).toEqual([1, undefined]);
  expect(breaker.reason("flaky")).toContain(
    "it failed 2 times in a row on this worker, which rests for 60 s",
  );
  stop();
});

test("with 0 failures none ever rests", () => {
  const breaker = new Breaker({ failures: 0, cooldownMs: 60_000 });
  for (let index = 0; index < 10; index++) breaker.observe("flaky", fatal);
  expect(breaker.reason("flaky")).toBeUndefined();
});

test("what the model or the world did wrong does not count", () => {
  const breaker = new Breaker({ failures: 1, cooldownMs: 60_000 });
  for (const kind of ["transient", "validation", "timeout"] as const)
    breaker.observe("flaky", failedResult(call, "e", { kind, message: "busy" }));
  expect(breaker.reason("flaky")).toBeUndefined();
});
