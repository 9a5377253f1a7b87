import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@toolrig/store";
import { beforeAll, describe, expect, test } from "vitest";
import { inTurn, project, toolrig } from "../../test/toolrig-process.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";

const SSN = "123-45-6789";
const config = `
  import { defineConfig, tool } from "toolrig";
  const pay = tool({ name: "pay", description: "Pay", safety: { sideEffects: "external" }, input: { type: "object" }, execute: () => "paid" });
  export default defineConfig({ tools: [pay], store: "toolrig.db", redact: { keys: ["ssn"] } });
`;
const cwd = project({ "toolrig.config.ts": config });

/** What a process leaves that was killed while two payments ran. */
beforeAll(async () => {
  const store = openStore(join(cwd, "toolrig.db"));
  for (const executionId of ["exec_aaaa.0001", "exec_aaaa.0002"])
    await store.ledger.intend({
      executionId,
      fingerprint: "f",
      name: "pay",
      version: undefined,
      args: { ssn: SSN },
      callId: "c",
      runId: "run_aaaa.1",
    });
  store.close();
});

describe("what a killed process left", () => {
  test("is recorded by whichever command comes first, without what the config calls a secret", async () => {
    const outcomes = await inTurn(
      [
        ["log", "--json"],
        ["log"],
        ["open"],
        ["open", "--json"],
        ["show", "0001"],
        ["show", "@last", "--json"],
      ],
      { cwd },
    );
    for (const { code, stdout } of outcomes) {
      expect(code).toBe(0);
      expect(stdout).toContain("pay");
      expect(stdout).not.toContain(SSN);
    }
    const store = openStore(join(cwd, "toolrig.db"), { readOnly: true });
    const kept = JSON.stringify([...store.records.all()]);
    store.close();
    expect(kept).toContain("TOOL_OUTCOME_UNKNOWN");
    expect(kept).not.toContain(SSN);
  });

  test("is listed, and closed by the word of a person, which is on record", async () => {
    const [wrong, silent, happened, never, open, shown, run] = await inTurn(
      [
        ["settle", "0001", "perhaps", "--why", "x"],
        ["settle", "0001", "happened"],
        ["settle", "0001", "happened", "--why", "it is on the statement", "--as", "ada"],
        ["settle", "exec_aaaa.0002", "never-ran", "--why", "the bank knows nothing", "--as", "ada"],
        ["open"],
        ["show", "0001"],
        ["show", "run_a"],
      ],
      { cwd },
    );
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("happened or never-ran") });
    expect(silent).toMatchObject({
      code: 2,
      stderr: 'toolrig: settle needs --why with what you saw, such as "it is on the statement".\n',
    });
    expect(happened?.stderr).toContain("exec_aaaa.0001 happened, says ada");
    expect(never?.stderr).toContain("exec_aaaa.0002 never ran, says ada");
    expect(open).toMatchObject({ stdout: "", stderr: expect.stringContaining("Nothing is in doubt") });
    expect(shown?.stdout).toContain("ada says that it happened: it is on the statement");
    expect(shown?.stdout).toContain("ledger     completed");
    expect(shown?.stdout.split("\n\n").map((part) => part.slice(0, 10))).toEqual([
      "tool      ",
      "tool      ",
      "ledger    ",
    ]);
    expect(run?.stdout).toMatch(/^run {8}run_aaaa\.1\n/);
    expect(run?.stdout.match(/^call /gm)).toHaveLength(4);
    const store = openStore(join(cwd, "toolrig.db"), { readOnly: true });
    expect(store.ledger.get("exec_aaaa.0002")).toBeUndefined();
    expect(store.records.verify().problems).toEqual([]);
    store.close();
  });

  test("an id that may be several is refused, and one that is none is not found", async () => {
    const [several, none, settled] = await inTurn(
      [
        ["show", "exec_aaaa"],
        ["show", "nothing"],
        ["settle", "0001", "never-ran", "--why", "x"],
      ],
      { cwd },
    );
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining("may be one of several") });
    expect(none?.code).toBe(EXIT_CODE.not_found);
    expect(settled).toMatchObject({ code: 2, stderr: expect.stringContaining("it is completed") });
  });
});

test("what was given up after its time is in doubt, and closed by the word of a person", async () => {
  const hanging = project({
    "toolrig.config.ts": `
      import { defineConfig, tool } from "toolrig";
      const pay = tool({ name: "pay", description: "Pay", input: { type: "object" }, timeout: 1, execute: () => new Promise(() => {}) });
      export default defineConfig({ tools: [pay], store: "toolrig.db" });
    `,
  });
  const [call, open, settled, after] = await inTurn(
    [
      ["call", "pay", "{}"],
      ["open"],
      ["settle", "@last", "happened", "--why", "it is on the statement", "--as", "ada"],
      ["open"],
    ],
    { cwd: hanging },
  );
  expect(call?.stderr).toContain("What it does may have happened; verify");
  expect(open?.stdout).toMatch(/\tpay\tunknown\t/);
  expect(settled?.stderr).toContain("happened, says ada");
  expect(after?.stderr).toContain("Nothing is in doubt");
});

test("doctor finds a store that cannot be made", async () => {
  const folder = project({
    "toolrig.config.json": JSON.stringify({ store: "file/deep/toolrig.db" }),
    file: "not a folder",
  });
  const { code, stdout } = await toolrig(["doctor"], { cwd: folder });
  expect(code).toBe(1);
  expect(stdout).toMatch(/fail {2}store: .*file is not a folder/);
});

test.runIf(process.getuid?.() === 0)("a config of another user is not run unless it is named", async () => {
  const above = project({});
  const file = join(above, "toolrig.config.mjs");
  writeFileSync(file, 'console.log("it ran"); export default { tools: [] };');
  chownSync(file, 65_534, 65_534);
  const mine = join(above, "mine");
  mkdirSync(mine);
  for (const args of [["tools"], ["log"], ["log", "--store", "x.db"], ["doctor"]]) {
    const { code, stdout, stderr } = await toolrig(args, { cwd: mine });
    expect(code).not.toBe(0);
    expect(stdout).not.toContain("it ran");
    expect(stdout + stderr).toContain("belongs to another user (65534)");
  }
  expect((await toolrig(["tools", "--config", file], { cwd: mine })).stdout).toContain("it ran");
});
