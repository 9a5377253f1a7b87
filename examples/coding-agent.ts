/**
 * An agent that mends code in one folder, and the diff of it.
 *
 *     npm run example coding-agent
 *
 * The model is scripted; a real one is `engine: aiSdkEngine(openai("gpt-5"))`. Files are opened in the folder or not at all;
 * commands run in a sandbox where there is one (bubblewrap). You see:
 *
 *     read_file    sum.js
 *     run_command  node --test
 *       node: exit code 1
 *     read_file    ../../etc/passwd
 *       "../../etc/passwd" is outside of what these tools may touch (…
 *     edit_file    sum.js
 *     run_command  node --test
 *
 *     The test passes: the loop began at the second number.
 *
 *     --- a/sum.js
 *     +++ b/sum.js
 *     @@ -1,5 +1,5 @@
 *      export function sum(numbers) {
 *        let total = 0;
 *     -  for (let i = 1; i < numbers.length; i += 1) total += numbers[i];
 *     +  for (let i = 0; i < numbers.length; i += 1) total += numbers[i];
 *        return total;
 *      }
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diffOf, patchOf } from "@toolrig/store";
import { openStore, rig, scriptedEngine, toolkit } from "toolrig";

const root = mkdtempSync(join(tmpdir(), "project-"));
writeFileSync(
  join(root, "sum.js"),
  `export function sum(numbers) {
  let total = 0;
  for (let i = 1; i < numbers.length; i += 1) total += numbers[i];
  return total;
}
`,
);
writeFileSync(
  join(root, "sum.test.js"),
  `import assert from "node:assert";
import { test } from "node:test";
import { sum } from "./sum.js";

test("adds all numbers", () => assert.equal(sum([1, 2, 3]), 6));
`,
);
writeFileSync(join(root, "package.json"), `{ "type": "module" }\n`);

const runTests = { name: "run_command", arguments: { command: "node", args: ["--test"] } };
const engine = scriptedEngine([
  { calls: [{ name: "read_file", arguments: { path: "sum.js" } }, runTests] },
  { calls: [{ name: "read_file", arguments: { path: "../../etc/passwd" } }] },
  {
    calls: [
      { name: "edit_file", arguments: { path: "sum.js", edits: [{ old: "let i = 1;", new: "let i = 0;" }] } },
    ],
  },
  { calls: [runTests] },
  "The test passes: the loop began at the second number.",
]);

// The store keeps files before and after, for the diff. `policy: { profile: "strict" }` would ask before each change.
const store = openStore(":memory:");
const coder = rig({ tools: toolkit({ root, http: false, artifacts: store.artifacts }), engine, store });

const run = coder.run("The test fails. Mend it.");
for await (const event of run) {
  if (event.type !== "call.end") continue;
  const { path, command, args = [] } = event.args as { path?: string; command?: string; args?: string[] };
  console.log(event.name.padEnd(12), path ?? [command, ...args].join(" "));
  if (event.result.failure !== undefined) console.log(`  ${event.result.failure.message}`);
}
console.log(`\n${(await run.outcome).text}\n`);

await coder.executor.flush();
const { files } = await diffOf(store, run.runId);
console.log(await patchOf(files, store.artifacts));
await coder.close();
store.close();
rmSync(root, { recursive: true });
