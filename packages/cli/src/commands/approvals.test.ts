import { userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import { hasTerminal, onTerminal } from "../../test/terminal.ts";
import {
  configOf,
  finished,
  inTurn,
  type Outcome,
  project,
  start,
  toolrig,
} from "../../test/toolrig-process.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";

const config = configOf(
  `tool({ name: "send_mail", description: "Send", safety: { sideEffects: "external" },
    input: { type: "object", properties: { to: { type: "string" }, note: { type: "string" }, password: { type: "string" } }, required: ["to"] },
    execute: ({ to }) => "sent to " + to })`,
  `store: "data/toolrig.db", policy: "./policy.json"`,
);
const policy = JSON.stringify({
  rules: [{ name: "mail", when: { tool: "send_mail" }, verdict: "ask", reason: "mail leaves the house" }],
});

/** Calls in a project of its own, and answers as soon as the question is there. */
async function asked(
  answer: (execution: string) => readonly string[],
  {
    args = '{"to": "eve"}',
    before,
  }: { args?: string; before?: (execution: string, cwd: string) => Promise<void> } = {},
): Promise<{ cwd: string; execution: string; call: Outcome; answered: Outcome }> {
  const cwd = project({ "toolrig.config.ts": config, "policy.json": policy, "data/.keep": "" });
  const child = start(["call", "send_mail", args], { cwd });
  const call = finished(child);
  const execution = await new Promise<string>((resolve, reject) => {
    let noted = "";
    call.then(({ stderr }) => reject(new Error(`The call ended without a question: ${stderr}`)), reject);
    child.stderr!.on("data", (chunk) => {
      noted += chunk;
      const found = /toolrig approvals approve (\S+)\n/.exec(noted);
      if (found !== null) resolve(found[1]!);
    });
  });
  await before?.(execution, cwd);
  const answered = await toolrig(["approvals", ...answer(execution)], { cwd });
  return { cwd, execution, answered, call: await call };
}

describe.concurrent("toolrig approvals", () => {
  test("approves a call that waits, once", async () => {
    const { cwd, execution, call, answered } = await asked((id) => ["approve", id, "--as", "ada", "--json"]);
    expect(call.stderr).toContain("send_mail waits for approval: mail leaves the house.");
    expect(call).toMatchObject({ code: 0, stdout: "sent to eve\n" });
    expect(JSON.parse(answered.stdout)).toMatchObject({
      pending: { executionId: execution, args: { to: "eve" } },
      decision: { decision: "approved", by: { id: "ada" } },
    });
    const [again, listed] = await inTurn(
      [
        ["approvals", "deny", execution],
        ["approvals", "list", "--all"],
      ].map((command) => [...command, "--store", "data/toolrig.db"]),
      { cwd },
    );
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining("was approved already") });
    expect(listed?.stdout.split("\t").slice(2)).toEqual([
      "send_mail",
      "approved by ada",
      "-",
      '{"to":"eve"}',
      "policy: mail leaves the house\n",
    ]);
  });

  test("denies with a reason that the caller is told", async () => {
    const { cwd, execution, call } = await asked((id) => ["deny", id, "--reason", "ask on Monday"]);
    const [listed, shown] = await inTurn(
      [
        ["approvals", "list", "--all"],
        ["show", execution],
      ].map((command) => [...command, "--store", "data/toolrig.db"]),
      { cwd },
    );
    expect(listed?.stdout).toContain(`\tdenied by ${userInfo().username}: ask on Monday\t`);
    expect(call).toMatchObject({ code: EXIT_CODE.denied, stdout: "" });
    expect(call.stderr).toContain("ask on Monday");
    expect(shown?.stdout).toContain(`denied by ${userInfo().username}`);
  });

  test("runs with other arguments when they were edited", async () => {
    const { cwd, execution, call } = await asked((id) => ["edit", id, '{"to": "bob"}', "--as", "ada"]);
    expect(call).toMatchObject({ code: 0, stdout: "sent to bob\n" });
    const [shown, listed] = await inTurn(
      [
        ["approvals", "show", execution],
        ["approvals", "--all"],
      ].map((command) => [...command, "--store", "data/toolrig.db"]),
      { cwd },
    );
    expect(shown?.stdout).toMatch(/^state {6}approved by ada, edited\nanswered {3}20/m);
    expect(shown?.stdout).toContain(
      'arguments\n{\n  "to": "eve"\n}\nedited to\n{\n  "to": "bob"\n}\nfingerprint',
    );
    expect(listed?.stdout).toContain('\tapproved by ada, edited\t-\t{"to":"bob"}\t');
  });

  test("refuses an edit that could not run, and the question stays open", async () => {
    const { call } = await asked((id) => ["edit", id, '{"to": "bob"}'], {
      async before(id, cwd) {
        const wrong = await toolrig(["approvals", "edit", id, '{"to": {}}'], { cwd });
        expect(wrong).toMatchObject({
          code: 3,
          stderr: expect.stringContaining("still waits: to: expected string"),
        });
      },
    });
    expect(call).toMatchObject({ code: 0, stdout: "sent to bob\n" });
  });

  test("shows who asks, for what and why, and nothing in it hides", async () => {
    const args = JSON.stringify({ to: "bob\u202eeve", password: "hunter2" });
    await asked((id) => ["approve", id], {
      args,
      async before(id, cwd) {
        const [shown, listed, json, whole, plain] = await inTurn(
          [
            ["approvals", "show", id],
            ["approvals", "list"],
            ["approvals", "list", "--json"],
            ["approvals", "show", id, "--json"],
            ["show", id],
          ].map((command) => [...command, "--store", "data/toolrig.db"]),
          { cwd },
        );
        expect(shown?.stdout).toMatch(
          /^execution {2}exec_.*\ntool {7}send_mail, from local\nfor {8}nobody in particular\ncalled by {2}cli\nasked/,
        );
        expect(shown?.stdout).toContain("because    policy: mail leaves the house\narguments\n");
        expect(shown?.stdout).toContain('"to": "bob\\u{202e}eve"');
        expect(listed?.stdout).toContain('"to":"bob\\u{202e}eve"');
        for (const { stdout } of [shown!, listed!, json!, whole!, plain!]) {
          expect(stdout).toContain("eve");
          expect(stdout).not.toMatch(/hunter2|\u202e/);
        }
      },
    });
  });

  test("a question of more than a page is approved by who has seen its end", async () => {
    const args = JSON.stringify({ note: " ".repeat(9_000), to: "eve" });
    let fingerprint = "";
    const { call } = await asked((id) => ["approve", id, "--fingerprint", fingerprint], {
      args,
      async before(id, cwd) {
        const [blind, forged, first, last, beyond, whole, list] = await inTurn(
          [
            ["approve", id],
            ["approve", id, "--fingerprint", "0".repeat(64)],
            ["show", id, "--page", "1"],
            ["show", id, "--page", "3"],
            ["show", id, "--page", "4"],
            ["show", id],
            ["list"],
          ].map((command) => ["approvals", ...command, "--store", "data/toolrig.db"]),
          { cwd },
        );
        expect(blind).toMatchObject({ code: 3, stderr: expect.stringContaining("has 3 pages") });
        expect(forged).toMatchObject({ code: 3, stderr: expect.stringContaining("other arguments") });
        expect(first?.stderr).toContain("Page 1 of 3. The next: toolrig approvals show");
        expect(beyond).toMatchObject({
          code: 2,
          stderr: expect.stringContaining("--page must be at most 3"),
        });
        expect(list?.stdout).toMatch(/…\(\d+ characters more\)….*"to":"eve"/);
        expect(whole?.stdout).toContain('"to": "eve"');
        fingerprint = /fingerprint (\S+)\n$/.exec(last!.stdout)![1]!;
      },
    });
    expect(call).toMatchObject({ code: 0, stdout: "sent to eve\n" });
  });

  test.skipIf(!hasTerminal)(
    "a narrow terminal lists the whole arguments rather than the reasons",
    async () => {
      await asked((id) => ["approve", id], {
        args: '{"to": "the whole of the second floor"}',
        async before(_, cwd) {
          const [narrow, wide] = await Promise.all(
            [80, 160].map((columns) => onTerminal(["approvals"], { cwd, columns })),
          );
          expect(narrow?.replace(/\s+/g, " ")).toContain('waits {"to":"the whole of the second floor"}');
          expect(narrow).not.toContain("leaves the house");
          expect(wide).toContain("policy: mail leaves the house");
        },
      });
    },
  );

  test("grants what --always says, until it is revoked", async () => {
    const where = '{"properties": {"to": {"pattern": "^e"}}}';
    const { cwd } = await asked((id) => ["approve", id, "--always", "--for", "1h", "--where", where]);
    expect(await toolrig(["call", "send_mail", '{"to": "erin"}'], { cwd })).toEqual({
      code: 0,
      stdout: "sent to erin\n",
      stderr: "",
    });
    const { stdout } = await toolrig(["approvals", "grants"], { cwd });
    const [id, tool, bounds] = stdout.split("\t");
    expect([tool, bounds]).toEqual(["send_mail", expect.stringMatching(/\^e.*until /)]);
    expect((await toolrig(["approvals", "revoke", id!], { cwd })).stderr).toBe(`${id} is revoked.\n`);
    expect((await toolrig(["approvals", "grants", "--json"], { cwd })).stdout).toBe("[]\n");
  });

  test("refuses wrong answers before anything is decided", async () => {
    const cwd = project({ "toolrig.config.ts": config, "policy.json": policy, "data/.keep": "" });
    await toolrig(["call", "greet"], { cwd });
    const wrong = [
      [["approve"], "toolrig: approvals approve needs EXECUTION"],
      [["edit", "exec_1", "{to}"], "ARGUMENTS must be JSON"],
      [["approve", "exec_1", "--for", "1h"], "give that too"],
      [["approve", "exec_1", "--always", "--for", "soon"], "--for must be a duration"],
      [["approve", "exec_1"], "Nothing waits for approval under execution exec_1."],
      [["deny", "exec_1"], "Nothing waits for approval under execution exec_1."],
      [["revoke", "grant_1"], "There is no grant grant_1."],
      [["grant"], 'Did you mean "grants"?'],
      [["decline"], 'Did you mean "deny"?'],
    ] as const;
    const outcomes = await inTurn(
      wrong.map(([args]) => ["approvals", ...args, "--store", "data/toolrig.db"]),
      { cwd },
    );
    expect(outcomes.map(({ stderr }, index) => stderr.includes(wrong[index]![1]) || stderr)).toEqual(
      wrong.map(() => true),
    );
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 2, 12, 12, 12, 2, 2]);
  });
});
