import { expect, test } from "vitest";
import { checkPolicy, Executor, type Policy, type PolicyRule, policyGuard, tool } from "../../index.ts";

const ran: unknown[] = [];
const pay = tool({
  name: "pay",
  description: "Pay",
  input: { type: "object", properties: { amount: { type: "number" }, to: { type: "string" } } },
  safety: { sideEffects: "external" },
  execute: (args) => {
    ran.push(args);
    return "paid";
  },
});

async function verdict(
  policy: Policy,
  args: unknown = {},
  { principal, at = 0 }: { principal?: string; at?: number } = {},
) {
  const executor = new Executor({
    tools: [pay],
    guards: [policyGuard(policy, { now: () => at })],
    approve: () => ({ approved: false, reason: "asked" }),
  });
  const options = principal === undefined ? {} : { principal: { id: principal } };
  const { failure } = await executor.call({ id: "c", name: "pay", arguments: args }, options);
  return failure === undefined ? "allow" : failure.code === "TOOL_APPROVAL_REJECTED" ? "ask" : "deny";
}

const rules = (...given: PolicyRule[]): Policy => ({ profile: "strict", rules: given });

test("a permission with a bound does not hold where the bound value is left out", async () => {
  const small = rules({ when: { args: { properties: { amount: { maximum: 50 } } } }, verdict: "allow" });
  expect(await verdict(small, { amount: 20 })).toBe("allow");
  expect(await verdict(small, { amount: 80 })).toBe("ask");
  expect(await verdict(small, {})).toBe("ask");
  const optional = rules({
    when: { args: { properties: { amount: { maximum: 50 } }, required: [] } },
    verdict: "allow",
  });
  expect(await verdict(optional, {})).toBe("allow");
});

test("a prohibition holds where the value is left out", async () => {
  const policy: Policy = {
    rules: [{ when: { args: { properties: { amount: { minimum: 50 } } } }, verdict: "deny" }],
  };
  expect(await verdict(policy, {})).toBe("deny");
});

test("a prohibition holds for a text that is too long to be looked through, a permission does not", async () => {
  const to = { properties: { to: { pattern: "(evil|rm\\s+-rf|dd\\s+if=)" } } };
  const long = { to: `evil ${"x".repeat(3_000_000)}` };
  expect(await verdict({ rules: [{ when: { args: to }, verdict: "deny" }] }, long)).toBe("deny");
  expect(await verdict(rules({ when: { args: to }, verdict: "allow" }), long)).toBe("ask");
});

test.each<[problem: RegExp, rule: PolicyRule]>([
  [/rule 1: args .* \/propertis is no keyword/, { when: { args: { propertis: {} } }, verdict: "allow" }],
  [
    /\/properties\/amount\/maxmum/,
    { when: { args: { properties: { amount: { maxmum: 5 } } } }, verdict: "allow" },
  ],
  [/args is no usable schema/, { when: { args: { type: "objct" } }, verdict: "allow" }],
  [
    /night: time.from and time.to are the same/,
    { name: "night", when: { time: { from: "09:00", to: "09:00" } }, verdict: "deny" },
  ],
])("a condition that could not work is refused when the policy is read: %s", (problem, rule) => {
  expect(() => policyGuard({ rules: [rule] })).toThrow(problem);
});

test("whoever has no name is not everybody", async () => {
  const known = rules({ when: { principal: "*" }, verdict: "allow" });
  expect(await verdict(known, {}, { principal: "https://id.example/ann" })).toBe("allow");
  expect(await verdict(known)).toBe("ask");
});

test("a window over midnight belongs to the day on which it starts", async () => {
  const night: Policy = {
    rules: [{ when: { time: { from: "22:00", to: "06:00", days: [5] } }, verdict: "deny" }],
  };
  const friday = Date.UTC(2026, 0, 9);
  const hours = (count: number) => friday + count * 3_600_000;
  const at = async (count: number) => verdict(night, {}, { at: hours(count) });
  expect([await at(2), await at(21), await at(23), await at(26), await at(31), await at(47)]).toEqual([
    "allow",
    "allow",
    "deny",
    "deny",
    "allow",
    "allow",
  ]);
});

test("who approves a call cannot edit it into one that is denied", async () => {
  ran.length = 0;
  const policy: Policy = {
    rules: [
      {
        name: "limit",
        when: { args: { properties: { amount: { exclusiveMinimum: 100 } }, required: ["amount"] } },
        verdict: "deny",
      },
      { verdict: "ask" },
    ],
  };
  const answer = (amount: number) =>
    new Executor({
      tools: [pay],
      guards: [policyGuard(policy)],
      approve: () => ({ approved: true, args: { amount } }),
    }).call({ id: "c", name: "pay", arguments: { amount: 5 } });
  expect((await answer(500)).failure).toMatchObject({ code: "TOOL_BLOCKED", message: /limit/ });
  expect((await answer(50)).isError).toBe(false);
  expect(ran).toEqual([{ amount: 50 }]);
});

test("a condition that throws denies", async () => {
  const guard = policyGuard(
    { rules: [{ when: { runLabels: "x" }, verdict: "allow" }] },
    {
      runLabels: () => {
        throw new Error("no labels");
      },
    },
  );
  const executor = new Executor({ tools: [pay], guards: [guard] });
  const { failure } = await executor.call({ id: "c", name: "pay", arguments: {} });
  expect(failure).toMatchObject({ code: "TOOL_BLOCKED", message: /no labels/ });
});

test("a policy is what it was when the guard was made", async () => {
  const maximum = { maximum: 50 };
  const rule = { when: { args: { properties: { amount: maximum } } }, verdict: "allow" } as const;
  const policy: Policy = { profile: "strict", rules: [rule] };
  const guard = policyGuard(policy);
  maximum.maximum = 5_000;
  policy.profile = "open";
  (policy.rules as PolicyRule[]).unshift({ verdict: "allow" });
  const executor = new Executor({ tools: [pay], guards: [guard] });
  const pays = async (amount: number) =>
    !(await executor.call({ id: "c", name: "pay", arguments: { amount } })).isError;
  expect([await pays(20), await pays(80)]).toEqual([true, false]);
  expect(Object.isFrozen(checkPolicy(policy).rules?.[1]?.when?.args)).toBe(true);
  expect(Object.isFrozen(policy)).toBe(false);
});
