import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedEngine } from "@toolrig/agent";
import { ToolrigError } from "@toolrig/core";
import { afterAll, describe, expect, test } from "vitest";
import { rig } from "./rig.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-options-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const engine = scriptedEngine(["hello", "hello again"]);
const run = (given: object) => rig({ engine }).run("go", given);

const refused: [what: string, make: (given: never) => unknown, given: unknown, message: string][] = [
  ["a misspelt setting", rig, { stroe: "rig.db" }, 'Unknown option "stroe" for rig. Did you mean "store"?'],
  ["one of its hooks", rig, { hooks: { beforecall() {} } }, 'Did you mean "beforeCall"?'],
  ["one of a run", run, { keepAprovals: true }, 'Did you mean "keepApprovals"?'],
  ["one of a run's loop", run, { maxToolIteration: 3 }, 'Did you mean "maxToolIterations"?'],
  ["one of a run's budgets", run, { budgets: { cals: 3 } }, 'Did you mean "calls"?'],
  ["descriptions", rig, { descriptions: 42 }, "descriptions must be a store of descriptions; got 42"],
  ["guards", rig, { guards: 42 }, "guards must be a list of guards; got 42"],
  ["guards beside a policy", rig, { guards: 42, policy: {} }, "guards must be a list of guards; got 42"],
  ["capabilities", rig, { capabilities: "network" }, "capabilities must be a list"],
  ["engine", rig, { engine: "openai:gpt-5" }, "engine must be an engine such as aiSdkEngine(model)"],
  ["system", rig, { system: 42 }, "system must be a string; got 42"],
  ["redact", rig, { redact: "hunter2" }, "redact must be an object of options; got a string"],
];

describe("options refused", () => {
  test.each(refused)("%s", (_what, make, given, message) => {
    let error: unknown;
    try {
      make(given as never);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ToolrigError);
    expect(error).toMatchObject({ code: "OPTION_INVALID", message: expect.stringContaining(message) });
  });

  test("no store is made for a rig that is refused", () => {
    const store = join(folder, "refused.db");
    expect(() => rig({ store, descriptions: 42 } as never)).toThrow("descriptions");
    expect(existsSync(store)).toBe(false);
  });

  test("a run takes options of its loop and its own together", async () => {
    const task = rig({ engine }).run("go", { runId: "run_1", maxToolIterations: 3, requestId: "req_1" });
    expect(task.runId).toBe("run_1");
    expect((await task.outcome).status).toBe("answered");
  });
});
