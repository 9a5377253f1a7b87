import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ApprovalAnswer } from "../guards/approval/approver.ts";
import { tool } from "../tool/define-tool.ts";
import { Executor } from "./executor.ts";

/** Twice would be a hundred times too much. */
const cents = z.number().transform((dollars) => dollars * 100);
const parsed = z.string().transform((text) => Number(text.replace("$", "")) * 100);

type Args = Record<string, unknown>;
type Edit = (args: Args) => unknown;

function payer(input: unknown) {
  return tool({
    name: "pay",
    description: "Pays",
    input,
    safety: { sideEffects: "external" },
    execute: (args: unknown) => args,
  });
}

const by: Record<string, (input: unknown, args: unknown, edit: Edit) => Promise<unknown>> = {
  "a guard": async (input, args, edit) => {
    const guard = {
      name: "edit",
      before: ({ args: shown }: { args: unknown }) =>
        ({ verdict: "rewrite", args: edit(shown as Args) }) as const,
    };
    return outcome(new Executor({ tools: [payer(input)], guards: [guard] }), args);
  },
  "two guards": async (input, args, edit) => {
    const first = {
      name: "first",
      before: ({ args: shown }: { args: unknown }) =>
        ({ verdict: "rewrite", args: { ...(shown as Args) } }) as const,
    };
    const second = {
      name: "second",
      before: ({ args: shown }: { args: unknown }) =>
        ({ verdict: "rewrite", args: edit(shown as Args) }) as const,
    };
    return outcome(new Executor({ tools: [payer(input)], guards: [first, second, first] }), args);
  },
  "an approver": async (input, args, edit) => {
    const guard = { name: "ask", before: () => ({ verdict: "ask", reason: "money" }) as const };
    // As a question that was stored and shown: JSON, there and back.
    const approve = ({ args: shown }: { args: unknown }): ApprovalAnswer => ({
      approved: true,
      args: JSON.parse(JSON.stringify(edit(JSON.parse(JSON.stringify(shown)) as Args))),
    });
    return outcome(new Executor({ tools: [payer(input)], guards: [guard], approve }), args);
  },
};

async function outcome(executor: Executor, args: unknown): Promise<unknown> {
  const { value, failure } = await executor.call({ id: "c", name: "pay", arguments: args });
  return failure === undefined ? value : failure.kind;
}

describe.each(Object.entries(by))("edited by %s", (_name, edited) => {
  test("what is left as it was is not transformed a second time", async () => {
    expect(await edited(z.object({ amount: cents }), { amount: 5 }, (args) => ({ ...args }))).toEqual({
      amount: 500,
    });
    const input = z.object({ amount: parsed, note: z.string() });
    const note = (args: Args) => ({ ...args, note: "new" });
    expect(await edited(input, { amount: "$5", note: "old" }, note)).toEqual({ amount: 500, note: "new" });
  });

  test("what is changed is what the tool gets", async () => {
    for (const [input, amount] of [
      [z.object({ amount: cents }), 5],
      [z.object({ amount: parsed }), "$5"],
    ] as const) {
      const cap = (args: Args) => ({ amount: Math.min(args.amount as number, 300) });
      expect(await edited(input, { amount }, cap)).toEqual({ amount: 300 });
    }
  });

  test("a part as the model would have written it is transformed once", async () => {
    expect(await edited(z.object({ amount: parsed }), { amount: "$5" }, () => ({ amount: "$3" }))).toEqual({
      amount: 300,
    });
    const input = z.object({ amount: cents, fee: cents.optional() });
    expect(await edited(input, { amount: 5 }, (args) => ({ ...args, fee: 2 }))).toEqual({
      amount: 500,
      fee: 200,
    });
  });

  test("an edit is validated and coerced", async () => {
    const input = z.object({
      amount: cents,
      n: z.number().refine((n) => n % 2 === 0),
      mode: z.enum(["fast", "slow"]).default("fast"),
    });
    const given = { amount: 5, n: 2 };
    expect(await edited(input, given, (args) => ({ ...args, n: 3 }))).toBe("validation");
    expect(await edited(input, given, (args) => ({ ...args, mode: "other" }))).toBe("validation");
    expect(await edited(input, given, ({ amount }) => ({ amount }))).toBe("validation");
    expect(await edited(input, given, (args) => ({ ...args, n: "4" }))).toEqual({
      amount: 500,
      n: 4,
      mode: "fast",
    });
    expect(await edited(input, given, (args) => ({ ...args, mode: "slow" }))).toEqual({
      amount: 500,
      n: 2,
      mode: "slow",
    });
    expect(await edited(input, given, (args) => ({ ...args, extra: 1 }))).toBe("validation");
  });

  test("lists and dates keep what was made of them", async () => {
    const input = z.object({ when: z.coerce.date(), sums: z.array(parsed) });
    const given = { when: "2024-05-01", sums: ["$5", "$7"] };
    const { when, sums } = (await edited(input, given, (args) => ({
      ...args,
      sums: (args.sums as number[]).slice(1),
    }))) as { when: unknown; sums: unknown };
    expect(sums).toEqual([700]);
    expect(new Date(when as string).toISOString()).toBe("2024-05-01T00:00:00.000Z");
  });
});

test("a guard that changes what it was shown has failed; one that hands back a copy is heard", async () => {
  const change = (args: Args) => ({ ...args, amount: 300, note: "new" });
  const input = z.object({ amount: cents, note: z.string().max(3) });
  expect(await by["a guard"]?.(input, { amount: 5, note: "old" }, change)).toEqual({
    amount: 300,
    note: "new",
  });
  const inPlace = (args: Args) => Object.assign(args, { amount: 300 });
  expect(await by["a guard"]?.(input, { amount: 5, note: "old" }, inPlace)).toBe("denied");
  const tooLong = (args: Args) => ({ ...args, note: "too long" });
  expect(await by["a guard"]?.(input, { amount: 5, note: "old" }, tooLong)).toBe("validation");
});
