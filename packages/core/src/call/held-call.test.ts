import { expect, test } from "vitest";
import { STRICT } from "./decoded.ts";
import { HeldCall } from "./held-call.ts";
import type { ToolResult } from "./result.ts";

const waiting = { id: "e:result", kind: "deferred" } as const;
const over: ToolResult = {
  ...{ callId: "c", executionId: "e", name: "n", isError: false, content: [] },
  ...{ decoded: STRICT, attempts: 1, durationMs: 1 },
};

test("a call is out, waits, and is over once", () => {
  const call = new HeldCall();
  expect(call.state).toEqual({ at: "out" });
  call.answered({ ...over, waiting });
  expect([call.waiting, call.result]).toEqual([waiting, undefined]);
  call.answered(over);
  expect([call.waiting, call.result]).toEqual([undefined, over]);
  call.answered({ ...over, waiting });
  call.answered({ ...over, value: "another" });
  expect(call.state).toEqual({ at: "over", result: over });
});
