import { describe, expect, test } from "vitest";
import { ToolrigError } from "../failure/failure.ts";
import { Executor } from "../pipeline/executor.ts";
import { tool } from "../tool/define-tool.ts";
import { callOptions } from "./call.ts";
import { CallBatch } from "./call-batch.ts";

const input = { type: "object" } as const;

function setUp() {
  let ran = 0;
  const act = tool({ name: "act", description: "Act", input, execute: () => ++ran });
  const executor = new Executor({ tools: [act] });
  return { executor, ran: () => ran };
}

const CALL = { id: "c", name: "act" };

describe("a wrong value of a call's option is refused and nothing runs", () => {
  test.each<[object, string]>([
    [
      { timeout: "ten" },
      'timeout must be a duration above 0 and up to 24 days, such as "500ms" or "10s"; got "ten".',
    ],
    [{ timeout: Number.NaN }, "timeout must be a duration above 0 and up to 24 days"],
    [{ timeout: -1 }, "got -1."],
    [{ timeout: 0 }, "got 0."],
    [{ timeoutMs: 1_000 }, 'Unknown option "timeoutMs" for a call. Did you mean "timeout"?'],
    [{ source: "modell" }, 'source must be "model" or "extracted" or "script"'],
    [{ runId: 7 }, "runId must be a non-empty string; got 7."],
    [{ requestId: {} }, "requestId must be a non-empty string; got an object."],
    [{ stepName: "" }, "stepName must be a non-empty string"],
    [{ parentId: 7 }, "parentId must be a non-empty string; got 7."],
    [{ executionId: 7 }, "executionId must be a non-empty string; got 7."],
    [{ complete: "no" }, 'complete must be true or false; got "no".'],
    [{ onUpdate: 1 }, "onUpdate must be a function; got 1."],
    [{ beforeRun: {} }, "beforeRun must be a function; got an object."],
    [{ reshape: "x" }, "reshape must be a function; got a string."],
    [{ onWaiting: "park" }, 'onWaiting must be "hold" or "return" or "continue" or "leave"; got "park".'],
    [{ principal: "ada" }, 'principal must be a principal with an id, such as { id: "ada" }; got "ada".'],
    [{ principal: {} }, "principal must be a principal with an id"],
    [{ allow: "act" }, "allow must be a list of names of tools and providers; got a string."],
    [
      { signal: new AbortController() },
      "signal must be an AbortSignal, such as controller.signal; got an object.",
    ],
    [{ trace: {} }, "trace must be what traceIn(headers) gives"],
    [{ refusal: "no" }, "refusal must be a failure"],
    [{ mode: "sequential" }, 'Unknown option "mode" for a call.'],
  ])("%o", (given, message) => {
    const { executor, ran } = setUp();
    const refused = refusal(() => executor.call(CALL, given));
    expect(refused.code).toBe("OPTION_INVALID");
    expect(refused.message).toContain(message);
    expect(ran()).toBe(0);
  });
});

describe("a wrong value of a batch's option is refused and nothing runs", () => {
  test.each<[object, string]>([
    [{ mode: "sequentially" }, 'mode must be "parallel" or "sequential"; got "sequentially".'],
    [{ timeout: "ten" }, 'got "ten".'],
    [{ executionIds: ["e1", 7] }, "executionIds[1] must be a non-empty string; got 7."],
    [{ executionIds: "e1" }, "executionIds must be a list of execution ids; got a string."],
    [{ signals: [new AbortController()] }, "signals[0] must be an AbortSignal"],
    [{ refusals: ["no"] }, "refusals[0] must be a failure"],
  ])("%o", (given, message) => {
    const { executor, ran } = setUp();
    const refused = refusal(() => executor.batch([CALL], given));
    expect(refused.code).toBe("OPTION_INVALID");
    expect(refused.message).toContain(message);
    expect(ran()).toBe(0);
  });
});

test("a call takes every declared option at once", async () => {
  const { executor } = setUp();
  const given = {
    signal: new AbortController().signal,
    timeout: "5s",
    complete: true,
    source: "cli",
    runId: "run_1",
    requestId: "request_1",
    stepName: "step",
    parentId: "run_0",
    principal: { id: "ada" },
    trace: { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` },
    allow: ["act"],
    executionId: "exec_1",
    onWaiting: "return",
    beforeRun: async () => {},
    onUpdate: () => {},
    reshape: (args: unknown) => args,
    refusal: undefined,
    batch: new CallBatch(),
    loop: { name: "ai-sdk", context: {}, outputs: new Map() },
  } as const;
  expect(Object.keys(given).sort()).toEqual([...callOptions.names].sort());
  expect((await executor.call(CALL, given)).isError).toBe(false);
});

test("options of a call that are inherited count: an AbortController as options aborts the call", async () => {
  const { executor, ran } = setUp();
  const controller = new AbortController();
  controller.abort();
  expect((await executor.call(CALL, controller)).failure?.code).toBe("TOOL_CANCELLED");
  const [first] = await executor.batch([CALL], Object.create({ allow: ["nothing"] }));
  expect(first?.isError).toBe(true);
  expect(ran()).toBe(0);
});

function refusal(make: () => unknown): ToolrigError {
  try {
    make();
  } catch (error) {
    if (ToolrigError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}
