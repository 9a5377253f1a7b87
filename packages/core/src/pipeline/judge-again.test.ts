import { describe, expect, test } from "vitest";
import {
  budgetGuard,
  Executor,
  type ExecutorOptions,
  type Guard,
  InformationFlow,
  policyGuard,
  protectedPaths,
  tool,
} from "../index.ts";

type Args = { amount: number; path?: string };

function payer() {
  const paid: Args[] = [];
  const pay = tool({
    name: "pay",
    description: "Pay",
    input: {
      type: "object",
      properties: { amount: { type: "number" }, path: { type: "string" }, note: { type: "number" } },
      required: ["amount"],
    },
    safety: { sideEffects: "external" },
    approval: (args: Args) => args.amount >= 10,
    execute: (args: Args) => {
      paid.push(args);
      return "paid";
    },
  });
  return { pay, paid };
}

async function outcome(options: Omit<ExecutorOptions, "tools">, args: Args = { amount: 20 }) {
  const { pay, paid } = payer();
  const executor = new Executor({ tools: [pay], approve: () => ({ approved: true }), ...options });
  const { failure } = await executor.call({ id: "c", name: "pay", arguments: args }, { runId: "r" });
  return failure === undefined ? paid[0] : failure.code;
}

const rewriting = (name: string, change: (args: Args) => Args, more: Partial<Guard> = {}): Guard => ({
  name,
  before: ({ args }) => ({ verdict: "rewrite", args: change(args as Args) }),
  ...more,
});
const limit = policyGuard({
  rules: [{ when: { args: { properties: { amount: { exclusiveMinimum: 100 } } } }, verdict: "deny" }],
});
const raise = rewriting("raise", (args) => ({ ...args, amount: 5_000 }));
const clamp = rewriting("clamp", (args) => ({ ...args, amount: Math.min(args.amount, 50) }));

describe("arguments that a guard rewrites", () => {
  test("are judged by those before it", async () => {
    expect(await outcome({ guards: [limit, raise] })).toBe("TOOL_BLOCKED");
    expect(await outcome({ guards: [raise, limit] })).toBe("TOOL_BLOCKED");
    const later: Guard = { ...raise, before: async (input) => raise.before?.(input) };
    expect(await outcome({ guards: [limit, later] })).toBe("TOOL_BLOCKED");
    const beforeCall = ({ args }: { args: unknown }) =>
      (args as Args).amount > 100 ? { block: "too much" } : undefined;
    expect(await outcome({ hooks: { beforeCall }, guards: [raise] })).toBe("TOOL_BLOCKED");
  });

  test("are asked about by those before it, once", async () => {
    const asking = policyGuard({
      rules: [
        { when: { args: { properties: { amount: { minimum: 100 } } } }, verdict: "ask", reason: "large" },
      ],
    });
    const reasons: (readonly string[])[] = [];
    const approve: ExecutorOptions["approve"] = (request) => {
      reasons.push(request.reasons);
      return { approved: true };
    };
    await outcome({ guards: [asking, raise], approve });
    await outcome({ guards: [asking, raise], approve }, { amount: 200 });
    expect(reasons).toEqual([
      ["pay requires approval", "large"],
      ["large", "pay requires approval"],
    ]);
  });

  test("are within the limit of one before it that rewrites", async () => {
    expect(
      await outcome({
        guards: [clamp, rewriting("double", () => ({ amount: 5_000 }), { judgesEdits: false })],
      }),
    ).toEqual({
      amount: 50,
    });
  });

  test("do not run when two never agree on them", async () => {
    expect(await outcome({ guards: [clamp, raise] })).toBe("TOOL_BLOCKED");
  });

  test("are not counted twice", async () => {
    expect(await outcome({ guards: [budgetGuard({ callsPerRun: 1 }), clamp] }, { amount: 80 })).toEqual({
      amount: 50,
    });
  });
});

describe("arguments that an approver edits", () => {
  const edited = (amount: number, more: Omit<ExecutorOptions, "tools">, path?: string) =>
    outcome({
      approve: () => ({ approved: true, args: { amount, ...(path !== undefined && { path }) } }),
      ...more,
    });

  test("go through every guard and hook that judged the call", async () => {
    const own: Guard = {
      name: "own",
      before: ({ args }) =>
        (args as Args).amount > 100 ? { verdict: "deny", reason: "too much" } : undefined,
    };
    const beforeCall = ({ args }: { args: unknown }) =>
      (args as Args).amount > 100 ? { block: "too much" } : undefined;
    for (const more of [{ guards: [limit] }, { guards: [own] }, { hooks: { beforeCall } }]) {
      expect(await edited(5_000, more)).toBe("TOOL_BLOCKED");
      expect(await edited(30, more)).toEqual({ amount: 30 });
    }
    expect(await edited(30, { guards: [protectedPaths({ paths: [".git/**"] })] }, ".git/config")).toBe(
      "TOOL_BLOCKED",
    );
  });

  test("are rewritten by a rule that holds for them", async () => {
    expect(await edited(5_000, { guards: [clamp] })).toEqual({ amount: 50 });
    expect(await edited(5_000, { guards: [clamp, limit] })).toEqual({ amount: 50 });
    expect(
      await edited(5_000, {
        hooks: { beforeCall: ({ args }) => ({ args: { ...(args as Args), note: 1 } }) },
      }),
    ).toEqual({
      amount: 5_000,
      note: 1,
    });
  });

  test("are never rewritten by a step that cannot be made twice", async () => {
    const cents = rewriting("cents", (args) => ({ ...args, amount: args.amount * 100 }));
    expect(await edited(5, { guards: [cents] })).toBe("TOOL_BLOCKED");
    expect(await edited(5, { guards: [{ ...cents, judgesEdits: false }] })).toEqual({ amount: 5 });
    const beforeCall = ({ args }: { args: unknown }) => ({ args: { amount: (args as Args).amount * 100 } });
    expect(await edited(5, { hooks: { beforeCall, judgesEdits: false } })).toEqual({ amount: 5 });
  });

  test("are not asked about again: the question has been answered", async () => {
    const flow = new InformationFlow();
    flow.outsiderSaid("r", "a page");
    expect(await edited(70, { guards: [flow.guard] })).toEqual({ amount: 70 });
  });
});
