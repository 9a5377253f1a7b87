import { describe, expect, test } from "vitest";
import { Redactor } from "../call/redact.ts";
import { ToolrigError } from "../failure/failure.ts";
import { ApprovalQueue } from "../guards/approval/approval-queue.ts";
import { breakerGuard } from "../guards/breaker/breaker.ts";
import { budgetGuard } from "../guards/budget.ts";
import { InformationFlow } from "../guards/flow/flow.ts";
import { planFirst } from "../guards/plan-first.ts";
import { policyGuard } from "../guards/policy/policy.ts";
import { protectedPaths } from "../guards/protected-paths.ts";
import { readBeforeWrite } from "../guards/read-before-write.ts";
import { repeatGuard } from "../guards/repeat/repeat.ts";
import { verifyAfterEffects } from "../guards/verify-after-effects.ts";
import { recording } from "../recording/recording.ts";
import { Registry } from "../source/registry.ts";
import { MemoryCallStore } from "../stores/records.ts";
import { Executor } from "./executor.ts";

const KEY = `sk-${"0123456789".repeat(8)}`;

type Row = [what: string, make: (given: never) => unknown, given: unknown, message: string];

const executor = (given: object) => new Executor(given);
const record = (given: object) => recording(new Executor({ tools: [] }), new MemoryCallStore(), given);

const misspelt: Row[] = [
  [
    "a call",
    (given) => new Executor({ tools: [] }).call({ id: "c", name: "none" }, given),
    { exectionId: "pay_1" },
    'Did you mean "executionId"?',
  ],
  [
    "a batch",
    (given) => new Executor({ tools: [] }).batch([{ id: "c", name: "none" }], given),
    { executionIDs: [] },
    'Did you mean "executionIds"?',
  ],
  ["Executor", executor, { guard: [] }, 'Unknown option "guard" for Executor. Did you mean "guards"?'],
  ["hooks", executor, { hooks: { beforecall() {} } }, 'Did you mean "beforeCall"?'],
  ["redact", executor, { redact: { value: [] } }, 'Did you mean "values"?'],
  ["Registry", (given) => new Registry([], given), { onConflicts: "replace" }, '"onConflict"?'],
  ["recording", record, { batchsize: 3 }, 'Did you mean "batchSize"?'],
  ["budgetGuard", budgetGuard, { callsPerRuns: 3 }, 'Did you mean "callsPerRun"?'],
  ["budget cost", budgetGuard, { cost: { perrun: 3, units: {} } }, 'Did you mean "perRun"?'],
  ["breakerGuard", breakerGuard, { failure: 3 }, 'Did you mean "failures"?'],
  ["repeatGuard", repeatGuard, { advice: 3 }, 'Did you mean "advise"?'],
  ["repeatGuard failure", repeatGuard, { failure: { refused: 3 } }, 'Did you mean "refuse"?'],
  ["InformationFlow", (given) => new InformationFlow(given), { profil: "strict" }, '"profile"?'],
  ["policyGuard", (given) => policyGuard({}, given), { runLabel: () => [] }, '"runLabels"?'],
  ["protectedPaths", protectedPaths, { path: [".env"] }, 'Did you mean "paths"?'],
  ["planFirst", planFirst, { planer: "plan" }, 'Did you mean "planner"?'],
  ["readBeforeWrite", readBeforeWrite, { reader: [], writers: [] }, 'Did you mean "readers"?'],
  ["verifyAfterEffects", verifyAfterEffects, { paths: [], verfy() {} }, 'Did you mean "verify"?'],
  ["ApprovalQueue", (given) => new ApprovalQueue(given), { expiresAfter: "1h" }, '"expireAfter"?'],
];

const wrong: Row[] = [
  ["Executor", executor, 42, "The options of Executor must be an object of options; got 42"],
  ["tools", executor, { tools: 42 }, "tools must be a list of tools"],
  ["guards", executor, { guards: 42 }, "guards must be a list of guards; got 42"],
  ["a guard", executor, { guards: [KEY] }, "guards[0] must be a guard with a name; got a string"],
  [
    "a guard's check",
    executor,
    { guards: [{ name: "g", before: 1 }] },
    "guards[0].before must be a function",
  ],
  ["hooks", executor, { hooks: 42 }, "hooks must be an object of options; got 42"],
  ["a hook", executor, { hooks: { beforeCall: 1 } }, "hooks.beforeCall must be a function; got 1"],
  ["approve", executor, { approve: new ApprovalQueue() }, "approve must be a function"],
  ["events", executor, { events: 42 }, "events must be a listener"],
  ["a path as store", executor, { store: "rig.db" }, "rig() takes a path"],
  ["ledger", executor, { ledger: {} }, "ledger must be a ledger; got an object"],
  ["half a ledger", executor, { ledger: { intend() {} } }, "it has no complete, fail"],
  ["artifacts", executor, { artifacts: 42 }, "artifacts must be a store of artifacts; got 42"],
  ["clock", executor, { clock: Date.now }, "clock must be a clock; got a function"],
  ["capabilities", executor, { capabilities: "network" }, "capabilities must be a list"],
  [
    "a secret as redact",
    executor,
    { redact: "hunter2" },
    "redact must be an object of options; got a string",
  ],
  [
    "a secret as values",
    (given) => new Redactor(given),
    { values: "hunter2" },
    "redact.values must be a list",
  ],
  [
    "patterns",
    (given) => new Redactor(given),
    { patterns: ["x"] },
    "redact.patterns[0] must be a regular expression",
  ],
  [
    "descriptions",
    (given) => new Registry([], given),
    { descriptions: 42 },
    "a store of descriptions; got 42",
  ],
  [
    "a profile in capitals",
    (given) => new InformationFlow(given),
    { profile: "Strict" },
    '"open" or "standard"',
  ],
  ["a number as cost", budgetGuard, { cost: 3 }, "cost must be an object of options; got 3"],
  ["cost without units", budgetGuard, { cost: { perRun: 3 } }, "cost.units must be"],
  ["callsPerTool", budgetGuard, { callsPerTool: "3" }, "callsPerTool must be a number"],
  [
    "a window of no time",
    budgetGuard,
    { window: { calls: 3, per: 0 } },
    "window.per must be a duration above 0",
  ],
  ["paths", protectedPaths, { paths: ".env" }, "paths must be a list of patterns"],
  ["no paths", protectedPaths, {}, "paths must be a list of patterns"],
  ["store", (given) => new ApprovalQueue(given), { store: "rig.db" }, "a store of approvals"],
  [
    "pollEvery",
    (given) => new ApprovalQueue(given),
    { pollEvery: 0 },
    "pollEvery must be a duration above 0",
  ],
  ["lingerMs", record, { lingerMs: "x" }, "lingerMs must be milliseconds"],
];

function refusal(make: (given: never) => unknown, given: unknown): ToolrigError {
  try {
    make(given as never);
  } catch (error) {
    if (ToolrigError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("It was taken.");
}

describe("options refused", () => {
  test.each(misspelt)(
    "a misspelt option of %s is refused with the nearest name",
    (_what, make, given, message) => {
      const error = refusal(make, given);
      expect(error.code).toBe("OPTION_INVALID");
      expect(error.message).toMatch(/^Unknown option /);
      expect(error.message).toContain(message);
    },
  );

  test.each(wrong)("%s of a wrong kind", (_what, make, given, message) => {
    const error = refusal(make, given);
    expect(error.code).toBe("OPTION_INVALID");
    expect(error.message).toContain(message);
  });

  test("a secret given in the wrong place is not told", () => {
    for (const given of [
      { guards: [KEY] },
      { store: KEY },
      { redact: KEY },
      { hooks: KEY },
      { approve: KEY },
      { guards: KEY },
    ])
      expect(refusal(executor, given).message).not.toContain("sk-0");
    expect(refusal(executor, { mode: KEY }).message).toContain(`got "${KEY.slice(0, 60)}…"`);
  });
});
