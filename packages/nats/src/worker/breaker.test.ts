import { failedResult } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { Breaker } from "./breaker.ts";

const call = { id: "c", name: "flaky" };
const fatal = {
  ...failedResult(call, "e", { code: "TOOL_EXECUTION_FAILED", message: "disk is gone" }),
  attempts: 1,
};

test("a tool that keeps failing rests for who makes it fail, and for all when two callers see it", () => {
  const breaker = new Breaker({ failures: 2, cooldownMs: 60_000 });
  let heard = 0;
  const stop = breaker.onChange(() => {
    heard += 1;
  });
  const says = "it failed 2 times in a row on this worker, which rests for 60 s";
  breaker.observe("flaky", "desk", fatal);
  expect([heard, breaker.reasonFor("flaky", "desk")]).toEqual([0, undefined]);
  breaker.observe("flaky", "desk", fatal);
  expect([heard, breaker.reasonFor("flaky", "desk"), breaker.reasonForSome("flaky")]).toEqual([
    1,
    says,
    says,
  ]);
  expect([breaker.reason("flaky"), breaker.reasonFor("flaky", "site")]).toEqual([undefined, undefined]);
  for (let index = 0; index < 2; index++) breaker.observe("flaky", "site", fatal);
  expect([heard, breaker.reason("flaky"), breaker.reason("other")]).toEqual([2, says, undefined]);
  stop();
});

test("with 0 failures none ever rests", () => {
  const breaker = new Breaker({ failures: 0, cooldownMs: 60_000 });
  for (let index = 0; index < 10; index++) breaker.observe("flaky", "desk", fatal);
  expect(breaker.reasonForSome("flaky")).toBeUndefined();
});

test("what the model or the world did wrong does not count", () => {
  const breaker = new Breaker({ failures: 1, cooldownMs: 60_000 });
  for (const kind of ["transient", "validation", "timeout"] as const)
    breaker.observe("flaky", "desk", failedResult(call, "e", { kind, message: "busy" }));
  expect(breaker.reasonForSome("flaky")).toBeUndefined();
});
