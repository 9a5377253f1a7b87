import { describe, expect, test } from "vitest";
import { type Ledger, MemoryLedger, wrapLedger } from "../../stores/ledger.ts";
import type { ToolContext } from "../../tool/context.ts";
import { tool } from "../../tool/define-tool.ts";
import { Executor } from "../executor.ts";

type Body = (context: ToolContext, start: number) => Promise<unknown>;
type Safety = { sideEffects: "read" | "write"; idempotent?: boolean };

const forever = () => new Promise<never>(() => {});
const input = { type: "object" } as const;
const crash = (context: ToolContext) => {
  context.update("about to die");
  return forever();
};

/** `order` is started, does what `body` says and is never heard of again; then it is asked for in another process. */
async function startedAgain(body: Body, order: { safety: Safety; ledger?: boolean }) {
  const ledger = new MemoryLedger();
  const paid: unknown[] = [];
  let starts = 0;
  const inProcess = () => {
    // Who owns an execution is known in one process.
    const own: Ledger = { ...wrapLedger(ledger, {}), book: {} };
    const tools = [
      tool({
        name: "pay",
        description: "Pay",
        input,
        safety: { sideEffects: "external" },
        execute: (args) => paid.push(args),
      }),
      tool({
        name: "choose",
        description: "Call what pays",
        input,
        safety: { sideEffects: "read" },
        unknownArguments: "ignore",
        execute: async (_args, { call }) => (await call("pay", { by: starts })).value,
      }),
      tool({
        name: "settle",
        description: "Pay, in a tool that is in the ledger",
        input,
        safety: { sideEffects: "write", idempotent: true },
        execute: async (_args, context) => {
          await context.call("pay", { by: starts });
          return starts === 1 ? crash(context) : "settled";
        },
      }),
      tool({
        name: "book",
        description: "Pay with the same arguments at each start",
        input,
        safety: { sideEffects: "write", idempotent: true },
        execute: async (_args, context) => {
          await context.call("pay", { by: "book" });
          return starts === 1 ? crash(context) : "booked";
        },
      }),
      tool({
        name: "order",
        description: "Order",
        input,
        ...order,
        execute: (_args, context) => body(context, ++starts),
      }),
    ];
    return new Executor({ tools, ledger: own });
  };
  const call = (executor: Executor) =>
    executor.call({ id: "c", name: "order", arguments: {} }, { executionId: "exec_order" });
  const first = inProcess();
  const begun = new Promise((resolve) => first.events.on("call.update", resolve));
  void call(first);
  await begun;
  return { result: await call(inProcess()), again: () => call(inProcess()), paid };
}

describe.each<[string, { safety: Safety; ledger?: boolean }]>([
  ["writes and is idempotent", { safety: { sideEffects: "write", idempotent: true } }],
  ["only reads", { safety: { sideEffects: "read" } }],
  ["only reads, and is in the ledger", { safety: { sideEffects: "read" }, ledger: true }],
])("a tool that %s, pays by another tool and is started again after a crash", (_what, order) => {
  test("does not pay a second time with a fresh reference: its outcome is unknown", async () => {
    const { result, paid, again } = await startedAgain(async (context, start) => {
      await context.call("pay", { reference: start });
      return start === 1 ? crash(context) : "ordered";
    }, order);
    expect(result.failure).toMatchObject({
      code: "TOOL_OUTCOME_UNKNOWN",
      message: expect.stringContaining("pay (execution exec_order."),
    });
    expect((await again()).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    expect(paid).toHaveLength(1);
  });

  test("is answered with what it did when it asks for the same payments", async () => {
    const { result, paid } = await startedAgain(async (context, start) => {
      if (start === 1) await context.call("pay", { reference: "b" });
      else await Promise.all(["a", "b"].map((reference) => context.call("pay", { reference })));
      return start === 1 ? crash(context) : "ordered";
    }, order);
    expect(result).toMatchObject({ isError: false, value: "ordered" });
    expect(paid).toEqual([{ reference: "b" }, { reference: "a" }]);
  });

  test("does not pay again through a tool that is in no ledger", async () => {
    const { result, paid } = await startedAgain(async (context, start) => {
      await context.call("choose", {});
      return start === 1 ? crash(context) : "ordered";
    }, order);
    expect(result.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    expect(paid).toHaveLength(1);
  });

  test("does not pay again through a tool that is in the ledger and is started again, too", async () => {
    const { result, paid, again } = await startedAgain(
      async (context) => (await context.call("settle", {})).value,
      order,
    );
    expect(result.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    await again();
    expect(paid).toHaveLength(1);
  });

  test("pays beside a tool that is started again and had paid before", async () => {
    const { result, paid } = await startedAgain(async (context, start) => {
      if (start === 1) return (await context.call("book", {})).value;
      const answers = [context.call("book", {}), context.call("pay", { reference: start })];
      return (await Promise.all(answers)).map(({ value }) => value);
    }, order);
    expect(result).toMatchObject({ isError: false, value: ["booked", 2] });
    expect(paid).toEqual([{ by: "book" }, { reference: 2 }]);
  });

  test("may find by itself that nothing is left to do", async () => {
    const { result, paid } = await startedAgain(async (context, start) => {
      if (start === 2) return "ordered before";
      await context.call("pay", { reference: start });
      return crash(context);
    }, order);
    expect([result.value, paid.length]).toEqual(["ordered before", 1]);
  });
});
