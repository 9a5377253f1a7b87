import { ToolrigError, tool } from "@toolrig/core";
import { describe, expect, test } from "vitest";
import { AgentLoop, findToolsTool, PlanExecutor, StructuredLoop, scriptedEngine } from "../src/index.ts";

type Row = [what: string, make: (given: never) => unknown, given: unknown, message: string];

const engine = scriptedEngine(["hello"]);
const loop = (given: object) => new AgentLoop({ engine, ...given });
const structured = (given: object) => new StructuredLoop({ engine, schema: { type: "object" }, ...given });
const plans = (given: object) => new PlanExecutor({ engine, ...given });
const run = (given: object) => new AgentLoop({ engine }).run("go", given);
const planRun = (given: object) => new PlanExecutor().run({ steps: [] }, given);

const misspelt: Row[] = [
  ["a loop", loop, { maxToolIteration: 3 }, 'Did you mean "maxToolIterations"?'],
  ["budgets", loop, { budgets: { cals: 3 } }, 'Did you mean "calls"?'],
  ["hooks", loop, { hooks: { shouldstop: () => true } }, 'Did you mean "shouldStop"?'],
  ["retry", loop, { retry: { attempt: 3 } }, 'Did you mean "attempts"?'],
  ["selection", loop, { selection: { treshold: 3 } }, 'Did you mean "threshold"?'],
  ["extract", loop, { extract: { family: "hermes", trusted: true } }, 'Did you mean "trust"?'],
  ["repeats", loop, { repeats: { advice: 3 } }, 'Did you mean "advise"?'],
  ["its executor", loop, { executor: { guard: [] } }, 'Did you mean "guards"?'],
  ["a structured loop", structured, { attemts: 3 }, 'Did you mean "attempts"?'],
  ["budgets of a structured loop", structured, { budgets: { token: 3 } }, 'Did you mean "tokens"?'],
  ["an executor of plans", plans, { concurency: 3 }, 'Did you mean "concurrency"?'],
  ["budgets of plans", plans, { budgets: { cals: 3 } }, 'Did you mean "calls"?'],
  ["a run", run, { runID: "run_1" }, 'Did you mean "runId"?'],
  ["a run of a plan", planRun, { inputs: 3 }, 'Did you mean "input"?'],
  ["findToolsTool", (given) => findToolsTool(new PlanlessSource(), given), { counts: 3 }, '"count"?'],
];

/** Enough of a source for what is refused before it is read. */
class PlanlessSource {
  readonly version = 1;
  tools = () => [];
  get = () => undefined;
}

const ofLoops: [what: string, given: object, message: string][] = [
  ["budgets", { budgets: 42 }, "budgets must be an object of options; got 42"],
  ["budgets.calls", { budgets: { calls: -1 } }, "budgets.calls must be"],
  ["budgets.time", { budgets: { time: 0 } }, "budgets.time must be a duration above 0"],
  ["system", { system: 42 }, "system must be a string; got 42"],
  ["approvals", { approvals: 42 }, "approvals must be an ApprovalQueue; got 42"],
  ["executor", { executor: 42 }, "executor must be an executor, or options for one; got 42"],
  ["maxToolIterations null", { maxToolIterations: null }, "maxToolIterations must be"],
  ["maxToolIterations 0", { maxToolIterations: 0 }, "must be a whole number of at least 1; got 0"],
  ["maxToolIterations -1", { maxToolIterations: -1 }, "must be a whole number of at least 1; got -1"],
  ["prepareTurn", { hooks: { prepareTurn: 1 } }, "hooks.prepareTurn must be a function; got 1"],
  ["shouldStop", { hooks: { shouldStop: 1 } }, "hooks.shouldStop must be a function; got 1"],
  ["beforeCall", { hooks: { beforeCall: 1 } }, "hooks.beforeCall must be a function; got 1"],
  ["hooks", { hooks: 42 }, "hooks must be an object of options; got 42"],
  ["journal", { journal: 42 }, "journal must be a journal; got 42"],
  ["flow", { flow: 42 }, "flow must be an InformationFlow; got 42"],
  ["extract", { extract: 42 }, "extract must be true, false or options; got 42"],
  ["extract.family", { extract: { family: "nope" } }, "nope"],
  ["retry", { retry: 42 }, "retry must be an object of options; got 42"],
  ["retry.attempts", { retry: { attempts: 0 } }, "retry.attempts must be"],
  ["idleTimeout", { idleTimeout: "x" }, "idleTimeout must be a duration"],
  ["engine", { engine: 42 }, "engine must be an engine such as aiSdkEngine(model); got 42"],
  ["events", { events: 42 }, "events must be a listener"],
  ["onToolResult", { onToolResult: 42 }, "onToolResult must be a function; got 42"],
  ["clock", { clock: 42 }, "clock must be a clock; got 42"],
  ["tools", { tools: 42 }, "tools must be a list of tools"],
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
  test.each(misspelt)("a misspelt setting of %s, with the nearest name", (_what, make, given, message) => {
    const error = refusal(make, given);
    expect(error.code).toBe("OPTION_INVALID");
    expect(error.message).toContain("Unknown option");
    expect(error.message).toContain(message);
  });

  test.each(ofLoops)("%s of a wrong kind, by every kind of loop when it is made", (_what, given, message) => {
    for (const make of [loop, structured, plans]) {
      const error = refusal(make, given);
      expect(error.code).toBe("OPTION_INVALID");
      expect(error.message).toContain(message);
    }
  });

  test("a selection that is none", () => {
    expect(refusal(loop, { selection: 42 }).message).toBe("selection must be an object of options; got 42.");
    expect(refusal(loop, { selection: { always: "search" } }).message).toContain("selection.always must be");
  });

  test("a key in the place of an engine is not told", () => {
    const { message } = refusal(loop, { engine: "sk-0123456789" });
    expect(message).toBe("engine must be an engine such as aiSdkEngine(model); got a string.");
  });

  test("a plan's step with side effects does not run when the options of its loops are wrong", async () => {
    let sent = 0;
    const send = tool({
      name: "send",
      description: "Send",
      input: { type: "object" },
      execute: () => ++sent,
    });
    const steps = [
      { name: "first", kind: "tool", tool: "send" },
      { name: "then", kind: "loop", task: "go on", needs: ["first"] },
    ];
    const carryOut = (given: object) =>
      new PlanExecutor({ engine, tools: [send], ...given }).run({ steps }).outcome;
    for (const [, given] of ofLoops.filter(([what]) => what !== "tools")) {
      await expect((async () => carryOut(given))()).rejects.toMatchObject({ code: "OPTION_INVALID" });
    }
    expect(sent).toBe(0);
  });
});
