import type { RunError, RunOutcome } from "@toolrig/agent";
import { type ErrorCode, ToolrigError, transient } from "@toolrig/core";
import { expect, test } from "vitest";
import { EXIT_CODE, exitCodeOf } from "./exit-code.ts";
import { NotFound } from "./not-found.ts";

const failedRun = (error: Pick<RunError, "code" | "fault">) =>
  exitCodeOf({ status: "failed", error: { message: "", ...error } } as RunOutcome);
const thrown = (code: ErrorCode) => exitCodeOf({ thrown: new ToolrigError(code, "") });

test("a result exits by the kind of its failure", () => {
  expect(exitCodeOf({})).toBe(0);
  expect(exitCodeOf(transient("busy"))).toBe(15);
});

test("what was thrown exits 2 where typing something else helps, and otherwise 1", () => {
  expect([thrown("OPTION_INVALID"), thrown("CONFIG_INVALID")]).toEqual([2, 2]);
  expect([thrown("STORE_FAILED"), thrown("ORCHESTRATION_STEP_MISMATCH")]).toEqual([1, 1]);
  expect([exitCodeOf({ thrown: new TypeError("a bug") }), exitCodeOf({ thrown: undefined })]).toEqual([1, 1]);
});

test("an answer that does not count exits with a code of its own", () => {
  expect([thrown("APPROVAL_REFUSED"), thrown("COMPLETION_REFUSED")]).toEqual([3, 3]);
  expect(failedRun({ code: "APPROVAL_REFUSED" })).toBe(10);
});

test("what is not there exits as a tool that is not", () => {
  expect(exitCodeOf({ thrown: new NotFound("There is no run.") })).toBe(12);
});

test("an error of a newer version with a code that is not known here never exits 0", () => {
  expect(thrown("FROM_LATER" as ErrorCode)).toBe(1);
  expect(failedRun({ code: "FROM_LATER" as ErrorCode })).toBe(10);
});

test("a run that failed exits as a call would, also for an error that would be wrong usage when thrown", () => {
  expect([failedRun({ code: "STORE_FAILED" }), failedRun({ code: "OPTION_INVALID" })]).toEqual([10, 10]);
  expect(failedRun({ code: "ORCHESTRATION_ITERATION_LIMIT" })).toBe(19);
  expect(failedRun({ code: "CANCELLED_TIMEOUT" })).toBe(16);
  expect(failedRun({ code: "ENGINE_FAILED", fault: "authentication" })).toBe(10);
  expect(failedRun({ code: "ENGINE_FAILED", fault: "overloaded" })).toBe(15);
  expect(exitCodeOf({ status: "stopped", reason: "" } as RunOutcome)).toBe(13);
});

test("exit codes tell all kinds apart, and leave those that mean something else", () => {
  const exits = Object.values(EXIT_CODE);
  expect(new Set(exits).size).toBe(exits.length);
  expect(exits.every((code) => code > 3 && code < 126)).toBe(true);
});
