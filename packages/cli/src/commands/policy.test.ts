import { describe, expect, test } from "vitest";
import { hasTerminal, onTerminal } from "../../test/terminal.ts";
import { configOf, inTurn, type Outcome, project, toolrig } from "../../test/toolrig-process.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";

const config = configOf(
  `
  tool({ name: "pay", description: "Pay", safety: { sideEffects: "external" },
    input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
    execute: () => { throw new Error("it ran"); } }),
  tool({ name: "look", description: "Look", input: any, safety: safe, execute: () => 1 }),
  tool({ name: "hidden", description: "Hidden", input: any, execute: () => 1 }),
  `,
  `allow: ["pay", "look"], store: "toolrig.db", policy: "rules/policy.json"`,
);
const policy = {
  profile: "strict",
  rules: [
    {
      name: "nights",
      when: { tool: "pay", time: { from: "22:00", to: "06:00" } },
      verdict: "deny",
      reason: "not at night",
    },
    {
      name: "small sums",
      when: { tool: "pay", args: { properties: { amount: { maximum: 50 } } } },
      verdict: "allow",
    },
    { name: "boss", when: { tool: "pay", principal: "boss" }, verdict: "allow" },
  ],
};
const noon = "2026-01-31T12:00Z";
const cases = [
  { name: "small", tool: "pay", args: { amount: "20" }, at: noon, expect: "allow", rule: "small sums" },
  { tool: "pay", args: { amount: 500 }, at: noon, expect: "ask", rule: "profile strict" },
  { tool: "pay", args: { amount: 500 }, principal: "boss", at: noon, expect: "allow" },
  { tool: "pay", args: { amount: 1 }, at: "2026-01-31T23:00Z", expect: "deny" },
  { tool: "pay", at: noon, expect: "refused" },
  { tool: "look", expect: "allow" },
];
const cwd = project({
  "toolrig.config.ts": config,
  "rules/policy.json": JSON.stringify(policy),
  "open.json": `{ "profile": "open" }`,
  "standard.json": `{ "profile": "standard" }`,
  "cases.json": JSON.stringify(cases),
  "wrong.json": JSON.stringify([...cases, { name: "the odd one", tool: "look", expect: "deny" }]),
  "typo.json": `[{ "tool": "pay", "expects": "ask" }]`,
});

describe.concurrent("toolrig policy", () => {
  test("explains the verdict and the rule, without running the tool", async () => {
    const [open, profile, json] = (await inTurn(
      [
        ["policy", "explain", "pay", "{amount: 500}", "--policy", "open.json"],
        ["policy", "explain", "look"],
        ["policy", "explain", "look", "--json"],
      ],
      { cwd },
    )) as [Outcome, Outcome, Outcome];
    expect(open).toEqual({ code: 0, stdout: "allow\tprofile open\tprofile open\n", stderr: "" });
    expect(profile.stdout).toBe("allow\tprofile strict\tprofile strict\n");
    expect(JSON.parse(json.stdout)).toMatchObject({ verdict: "allow", by: "profile strict" });
  });

  test("says that information flow is not asked, of a tool that has effects", async () => {
    const [pay, look] = (await inTurn(
      [
        ["policy", "explain", "pay", "{amount: 20}", "--policy", "standard.json"],
        ["policy", "explain", "look", "--policy", "standard.json"],
      ],
      { cwd },
    )) as [Outcome, Outcome];
    expect(pay).toMatchObject({ code: 0, stdout: "allow\tprofile standard\tprofile standard\n" });
    expect(pay.stderr).toContain("Information flow is not asked here");
    expect(look).toMatchObject({ code: 0, stderr: "" });
  });

  test.runIf(hasTerminal)("says it in columns on a terminal, and nothing twice", async () => {
    const shown = await onTerminal(["policy", "explain", "look"], { cwd });
    expect(shown).toMatch(/^VERDICT +BY +REASON *\nallow +profile strict *\n$/);
  });

  test("exits as the call would when it does not get as far as the policy", async () => {
    const calls = [
      ["not_found", "pey", "{}", "Did you mean pay"],
      ["denied", "hidden", "{}", "TOOL_NOT_ALLOWED"],
      ["validation", "pay", '{"amount": "much"}', "amount"],
    ] as const;
    const outcomes = await inTurn(
      calls.map(([, name, args]) => ["policy", "explain", name, args]),
      { cwd },
    );
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      expect({ code, stdout }).toEqual({ code: EXIT_CODE[calls[index]![0]], stdout: "" });
      expect(stderr).toContain(calls[index]![3]);
    }
  });

  test("tests a table of expectations", async () => {
    const { code, stdout, stderr } = await toolrig(["policy", "test", "cases.json"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "6 rows hold.\n" });
    expect(stdout.split("\n")[0]).toBe("ok\t1\tsmall\tallow by small sums\tallow\tsmall sums");
  });

  test("exits 1 and shows the row that does not hold", async () => {
    const { code, stdout, stderr } = await toolrig(["policy", "test", "wrong.json"], { cwd });
    expect(code).toBe(1);
    expect(stdout.split("\n").filter((line) => line.startsWith("miss"))).toEqual([
      "miss\t7\tthe odd one\tdeny\tallow\tprofile strict",
    ]);
    expect(stderr).toBe("1 of 7 rows do not hold.\n");
  });

  test("a wrong table is refused with what to do", async () => {
    const wrong = [
      [["test", "typo.json"], 'row 1 has no field "expects"'],
      [["test", "open.json"], "must hold a JSON list of rows"],
      [["explian", "pay"], 'Did you mean "explain"?'],
      [["explian"], 'Did you mean "explain"?'],
      [["explain"], "policy explain needs NAME"],
    ] as const;
    const outcomes = await inTurn(
      wrong.map(([args]) => ["policy", ...args]),
      { cwd },
    );
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
    for (const [index, { stderr }] of outcomes.entries()) expect(stderr).toContain(wrong[index]![1]);
  });

  test("needs a policy, and a valid one", async () => {
    const [none, broken] = await Promise.all([
      toolrig(["policy", "explain", "look"], { cwd: project({ "toolrig.config.json": "{}" }) }),
      toolrig(["tools"], {
        cwd: project({
          "toolrig.config.json": `{ "policy": "p.json" }`,
          "p.json": `{ "rules": [{ "verdict": "no" }] }`,
        }),
      }),
    ]);
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no policy: set policy"),
    });
    expect(broken).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/p\.json: The policy is not valid/),
    });
  });
});
