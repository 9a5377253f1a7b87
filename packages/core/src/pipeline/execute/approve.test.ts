import { describe, expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalRequest } from "../../guards/approval/approver.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { tool } from "../../tool/define-tool.ts";
import type { ToolSpec } from "../../tool/tool.ts";
import { Executor } from "../executor.ts";
import type { ExecutorOptions } from "../options.ts";

function setUp(options: ExecutorOptions = {}, spec: Partial<ToolSpec<unknown, unknown>> = {}) {
  const ran: unknown[] = [];
  const send = tool({
    name: "send",
    description: "Sends",
    input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    approval: true,
    execute: (args: unknown) => void ran.push(args),
    ...spec,
  } as ToolSpec<unknown, unknown>);
  const executor = new Executor({ tools: [send], ...options });
  const call = (signal?: AbortSignal) =>
    executor.call({ id: "c", name: "send", arguments: { to: "Ada" } }, signal && { signal });
  return { executor, call, ran };
}

test("a tool that requires approval does not run when there is nobody to ask", async () => {
  const { call, ran } = setUp();
  expect((await call()).failure).toMatchObject({ kind: "denied", code: "TOOL_APPROVAL_REJECTED" });
  expect(ran).toEqual([]);
});

test("the approver sees the call, its arguments and every reason, and may change the arguments", async () => {
  let seen: ApprovalRequest | undefined;
  const guards = [{ name: "policy", before: () => ({ verdict: "ask" as const, reason: "first time" }) }];
  const approve = (request: ApprovalRequest): ApprovalAnswer => {
    seen = request;
    return { approved: true, args: { to: "Eve" }, by: { id: "boss" } };
  };
  const { call, ran } = setUp({ guards, approve });
  expect((await call()).isError).toBe(false);
  expect(seen).toMatchObject({
    call: { id: "c" },
    args: { to: "Ada" },
    reasons: ["first time", "send requires approval"],
  });
  expect(ran).toEqual([{ to: "Eve" }]);
});

test("arguments that the approver gives are checked again", async () => {
  const { call, ran } = setUp({ approve: () => ({ approved: true, args: { to: 5n } }) });
  expect((await call()).failure?.kind).toBe("validation");
  expect(ran).toEqual([]);
});

test.each<[string, () => unknown]>([
  ["says no", () => ({ approved: false, reason: "too late" })],
  [
    "throws",
    () => {
      throw new Error("asleep");
    },
  ],
  ["rejects", () => Promise.reject(new Error("asleep"))],
  ["answers nothing", () => undefined],
  ["answers yes without saying so", () => ({ approved: "yes" })],
])("an approver that %s has not approved", async (_name, approve) => {
  const { call, ran } = setUp({ approve: approve as never });
  expect((await call()).failure?.code).toBe("TOOL_APPROVAL_REJECTED");
  expect(ran).toEqual([]);
});

test.each([
  [false, "ran"],
  [true, "TOOL_APPROVAL_REJECTED"],
  [undefined, "TOOL_APPROVAL_REJECTED"],
  ["yes", "TOOL_APPROVAL_REJECTED"],
])("a tool whose approval answers %s: %s", async (answer, expected) => {
  const { call } = setUp({}, { approval: async () => answer as never });
  expect((await call()).failure?.code ?? "ran").toBe(expected);
});

describe("waiting for an answer", () => {
  test("is not charged to the deadline", async () => {
    const clock = new FakeClock();
    const approve = async (): Promise<ApprovalAnswer> => {
      await clock.advance(60_000);
      return { approved: true };
    };
    expect((await setUp({ approve, clock, timeout: "1s" }).call()).isError).toBe(false);
  });

  test("ends when the call is cancelled, also when that happened before the question", async () => {
    const approve = () => new Promise<never>(() => {});
    const { call, executor, ran } = setUp({ approve });
    expect((await call(AbortSignal.timeout(5))).failure?.code).toBe("TOOL_CANCELLED");
    const pending = call();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await executor.stop();
    expect((await pending).failure?.code).toBe("TOOL_CANCELLED");
    expect(ran).toEqual([]);
  });
});

test("an answer whose `by` is no principal approves nothing", async () => {
  const { call, ran } = setUp({ approve: () => ({ approved: true, by: "boss" }) as never });
  const { failure } = await call();
  expect(failure?.code).toBe("TOOL_APPROVAL_REJECTED");
  expect(failure?.message).toContain('by must be a principal with an id, such as { id: "ada" }; got "boss"');
  expect(ran).toEqual([]);
});
