import { extract } from "@toolrig/extract";
import { expect, test } from "vitest";
import { describeFailure, failure, ToolFailure, ToolrigError, transient } from "./failure.ts";

test("the kind follows from the code and the code from the kind", () => {
  expect(describeFailure({ code: "TOOL_REPEATED", message: "x" })).toMatchObject({
    kind: "budget",
    retryable: false,
  });
  expect(describeFailure({ kind: "timeout", message: "x" })).toMatchObject({
    code: "TOOL_TIMEOUT",
    retryable: true,
  });
  expect(describeFailure({ message: "x" })).toMatchObject({ kind: "fatal", code: "TOOL_EXECUTION_FAILED" });
  expect(describeFailure({ kind: "transient", message: "x", retryable: false }).retryable).toBe(false);
});

test("what does not exist counts as not given", () => {
  const odd = { kind: "constructor", code: "__proto__", message: 5, retryable: "yes" } as never;
  expect(describeFailure(odd)).toEqual({
    kind: "fatal",
    code: "TOOL_EXECUTION_FAILED",
    message: "no reason was given",
    retryable: false,
  });
});

test("a failure is made of whatever is at hand, and keeps its cause", () => {
  const cause = new Error("socket closed");
  expect(failure(cause)).toMatchObject({ message: "socket closed", cause });
  expect(transient(cause)).toMatchObject({ cause, failure: { kind: "transient", message: "socket closed" } });
  const own = transient("later");
  expect(failure(own)).toBe(own);
});

test("failures and errors of another copy of the package are recognised", () => {
  expect(ToolFailure.isInstance({ [Symbol.for("toolrig.failure")]: true })).toBe(true);
  expect(ToolrigError.isInstance({ [Symbol.for("toolrig.error")]: true })).toBe(true);
  expect(ToolFailure.isInstance(new Error("x"))).toBe(false);
  expect(ToolrigError.isInstance(null)).toBe(false);
});

test("an error of the extraction package, which does not import this one, is recognised", () => {
  const thrown = () => extract("", { tools: [], family: "none" });
  expect(thrown).toThrow(expect.toSatisfy(ToolrigError.isInstance));
  expect(thrown).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
});
