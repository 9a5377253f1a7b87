import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { project, toolrig } from "../../test/toolrig-process.ts";

const config = `
  import { appendFileSync } from "node:fs";
  import { deferred, defineConfig, tool } from "toolrig";
  const spec = { description: "Does it", input: { type: "object" } };
  const did = (what) => appendFileSync("effects", what + "\\n");
  const tools = [
    tool({ ...spec, name: "pay", approval: true, execute: () => { did("paid"); return "paid"; } }),
    tool({ ...spec, name: "look", safety: { sideEffects: "read", idempotent: true }, execute: () => { did("looked"); return "seen"; } }),
    tool({ ...spec, name: "book", execute: async (_, { ask }) => {
      const { value } = await ask({ message: "Which day?" });
      did("booked");
      return value;
    } }),
    tool({ ...spec, name: "deploy", execute: () => { did("deploying"); return deferred({ note: "job 7" }); } }),
  ];
  const hooks = { afterCall: ({ tool: { name } }) => { did("after " + name); } };
  export default defineConfig({ tools, hooks, store: "toolrig.db" });
`;
const calls = ["pay", "look", "book", "deploy"].map((name) => ({ id: name, name }));

test("a run waits for three things at once, each process of it is gone, and another one goes on", async () => {
  const cwd = project({
    "toolrig.config.ts": config,
    "bare.config.ts": config.replace(', store: "toolrig.db"', ""),
    "script.json": JSON.stringify([{ calls }, "All done."]),
  });
  const run = await toolrig(["run", "Go", "-m", "script:script.json", "--detach", "--json"], { cwd });
  const { status, runId, waits } = JSON.parse(run.stdout);
  expect({ code: run.code, status }).toEqual({ code: 0, status: "waiting" });
  expect(waits.map(({ name }: { name: string }) => name)).toEqual(["pay", "book", "deploy"]);
  const [pay, book, deploy] = waits.map(({ executionId }: { executionId: string }) => executionId);
  expect((await toolrig(["runs", "--open"], { cwd })).stdout).toMatch(/\twaiting\t1\tGo\n$/);
  expect((await toolrig(["complete", deploy, '"live"'], { cwd })).code).toBe(0);
  expect((await toolrig(["answer", book, '"monday"'], { cwd })).code).toBe(0);
  const early = await toolrig(["resume", runId, "-m", "script:script.json", "--detach"], { cwd });
  expect(early).toMatchObject({ code: 0, stdout: "" });
  expect(early.stderr).toMatch(/waits pay for approval.*toolrig resume run_/s);
  expect((await toolrig(["approvals", "approve", pay], { cwd })).code).toBe(0);
  const elsewhere = (store: string, ...rest: string[]) =>
    toolrig(["resume", runId, "-c", "bare.config.ts", "--store", store, ...rest], { cwd });
  const missing = await elsewhere("none.db", "-m", "script:script.json");
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/There is no store .*none\.db yet/),
  });
  const again = await elsewhere("toolrig.db", "-m", "script:script.json", "--detach", "--json");
  const { messages, ...outcome } = JSON.parse(again.stdout);
  expect(outcome).toMatchObject({ status: "answered", text: "All done.", calls: 4 });
  expect(messages[2].results.map(({ content }: { content: [{ text: string }] }) => content[0].text)).toEqual([
    "paid",
    "seen",
    "monday",
    "live",
  ]);
  const effects = readFileSync(join(cwd, "effects"), "utf8").trimEnd().split("\n");
  expect(effects.filter((each) => !each.startsWith("after"))).toEqual([
    "looked",
    "deploying",
    "paid",
    "booked",
  ]);
  expect(effects.slice(-3)).toEqual(["after pay", "after book", "after deploy"]);
  expect((await toolrig(["runs"], { cwd })).stdout).toMatch(/\tanswered\t2\tGo\n$/);
});

test("@last of what ends a wait is the latest that waits, not the latest that ended", async () => {
  const cwd = project({ "toolrig.config.ts": config });
  for (const name of ["deploy", "book"]) await toolrig(["call", name, "{}", "--detach"], { cwd });
  await toolrig(["call", "look", "{}"], { cwd });
  expect((await toolrig(["complete", "@last", '"live"'], { cwd })).stderr).toMatch(/is completed\.\n$/);
  expect((await toolrig(["answer", "@last", '"monday"'], { cwd })).code).toBe(0);
  const nothing = await toolrig(["cancel", "@last"], { cwd });
  expect(nothing).toMatchObject({ code: 12, stderr: expect.stringContaining("Nothing waits") });
});
