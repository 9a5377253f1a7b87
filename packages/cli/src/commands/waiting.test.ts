import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { finished, inTurn, project, start, toolrig } from "../../test/toolrig-process.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";

const config = `
  import { appendFileSync } from "node:fs";
  import { deferred, defineConfig, tool } from "toolrig";
  const input = { type: "object" };
  const deploy = tool({
    name: "deploy", description: "Deploy", input,
    output: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
    execute: () => { appendFileSync("effects", "deploy\\n"); return deferred({ ref: 7, note: "job 7" }); },
    cancel: (ref) => appendFileSync("effects", "cancel " + ref + "\\n"),
  });
  const book = tool({
    name: "book", description: "Book", input,
    execute: async (_, { ask }) => {
      const { status, value } = await ask({ message: "Which day?", schema: { enum: ["monday", "friday"] } });
      return status + " " + value;
    },
  });
  export default defineConfig({ tools: [deploy, book], store: "toolrig.db" });
`;

async function waiting(
  cwd: string,
): Promise<{ executionId: string; kind: string; note?: string; state?: string }[]> {
  return JSON.parse((await toolrig(["waiting", "--json"], { cwd })).stdout);
}

async function park(cwd: string, name: string): Promise<string> {
  const parked = await toolrig(["call", name, "{}", "--detach", "--json"], { cwd });
  expect(parked.code).toBe(0);
  return JSON.parse(parked.stdout).executionId;
}

const APPROVAL = `
  import { appendFileSync } from "node:fs";
  import { defineConfig, tool } from "toolrig";
  const pay = tool({
    name: "pay", description: "Pay", input: { type: "object" }, approval: true,
    execute: ({ to }) => { appendFileSync("effects", "paid " + to + "\\n"); return "paid " + to; },
  });
  export default defineConfig({ tools: [pay], store: "toolrig.db" });
`;

test("a call that is approved after its process died is listed, and run by its execution", async () => {
  const cwd = project({ "toolrig.config.ts": APPROVAL });
  const holding = start(["call", "pay", '{"to":"bob"}'], { cwd });
  await expect.poll(async () => (await waiting(cwd).catch(() => [])).length).toBe(1);
  holding.kill("SIGKILL");
  await finished(holding);
  const [{ executionId } = { executionId: "" }] = await waiting(cwd);
  const early = await toolrig(["call", "--execution", executionId], { cwd });
  expect(early.stderr).toContain("still waits for approval");
  expect((await toolrig(["approvals", "approve", executionId, "--as", "boss"], { cwd })).code).toBe(0);
  await expect
    .poll(async () => (await waiting(cwd))[0], { interval: 1_000 })
    .toMatchObject({ executionId, state: "approved, not running" });
  const ran = await toolrig(["call", "--execution", executionId], { cwd });
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("paid bob") });
  expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("paid bob\n");
  expect(await waiting(cwd)).toEqual([]);
  const both = await toolrig(["call", "pay", "{}", "--execution", executionId], { cwd });
  expect(both.stderr).toContain("leave out the name of the tool");
});

describe("toolrig waiting, complete, answer and cancel", () => {
  test("a call that waits is listed, shown and completed by another process, once", async () => {
    const cwd = project({ "toolrig.config.ts": config });
    const id = await park(cwd, "deploy");
    expect(await waiting(cwd)).toMatchObject([{ executionId: id, kind: "deferred", note: "job 7" }]);
    const shown = await toolrig(["waiting", "show", id], { cwd });
    expect(shown.stdout).toMatch(/kind +deferred\n.*tool +deploy/s);
    const wrong = await toolrig(["complete", id, '{"ulr":1}'], { cwd });
    expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining("output schema") });
    const done = await toolrig(["complete", id, '{"url":"x"}', "--json", "--as", "ada"], { cwd });
    expect(JSON.parse(done.stdout)).toMatchObject({ executionId: id, value: { url: "x" }, isError: false });
    expect((await toolrig(["complete", id, '{"url":"y"}'], { cwd })).stderr).toContain("completed already");
    const log = await toolrig(["show", id, "--json"], { cwd });
    expect(JSON.parse(log.stdout).records).toMatchObject([
      { result: { value: { url: "x" } }, waits: [{ kind: "deferred", how: "completed", by: { id: "ada" } }] },
    ]);
    expect(await waiting(cwd)).toEqual([]);
  });

  test("a call that failed elsewhere, and one that nobody waits for any more", async () => {
    const cwd = project({ "toolrig.config.ts": config });
    const [one, two] = [await park(cwd, "deploy"), await park(cwd, "deploy")];
    const failed = await toolrig(["complete", one, "--failed", "the build broke", "--json"], { cwd });
    expect(JSON.parse(failed.stdout).failure).toMatchObject({ message: "the build broke" });
    expect((await toolrig(["cancel", two, "--reason", "enough"], { cwd })).code).toBe(0);
    expect((await toolrig(["cancel", two], { cwd })).code).toBe(EXIT_CODE.not_found);
    const shown = await toolrig(["show", two, "--json"], { cwd });
    expect(JSON.parse(shown.stdout).records[0].result.failure).toMatchObject({ code: "TOOL_CANCELLED" });
  });

  test("a question is answered by another process while the call is held", async () => {
    const cwd = project({ "toolrig.config.ts": config });
    const call = toolrig(["call", "book", "{}"], { cwd });
    await expect.poll(async () => (await waiting(cwd).catch(() => [])).length).toBe(1);
    const executionId = (await waiting(cwd))[0]?.executionId ?? "";
    expect((await toolrig(["answer", executionId, '"sunday"'], { cwd })).stderr).toContain("still waits");
    expect((await toolrig(["answer", executionId, '"friday"'], { cwd })).code).toBe(0);
    const { stdout, stderr } = await call;
    expect(stdout).toContain("answered friday");
    expect(stderr).toContain(
      `book waits for an answer: Which day? Answer: toolrig answer ${executionId} JSON`,
    );
  });

  test("wrong usage is refused with what is expected", async () => {
    const wrong = [
      [["complete", "x"], "JSON, the result, or --failed"],
      [["answer", "x"], "JSON, the answer, or --decline"],
      [["complete", "x", "{"], "must be JSON"],
      [["waiting", "--kind", "nap"], "--kind must be"],
      [["waiting", "sleep"], "list"],
    ] as const;
    const outcomes = await inTurn(
      wrong.map(([args]) => args),
      { cwd: project({ "toolrig.config.ts": config }) },
    );
    const expected = wrong.map(([, message]) => ({ code: 2, stderr: expect.stringContaining(message) }));
    expect(outcomes).toMatchObject(expected);
  });
});
