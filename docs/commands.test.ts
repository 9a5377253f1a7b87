/** What pages tell people to run is there to be run. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsIn, problemOf, runnableIn, wrongCommands } from "./commands.ts";

const root = join(import.meta.dirname, "..");
const runnable = await runnableIn(root);

test("every command of every page can be run as it stands", async () => {
  const { checked, wrong } = await wrongCommands(root, runnable);
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(150);
});

test("commands are found in blocks, behind prompts and between backticks", () => {
  const page = [
    "Run `npm run bench call -- --rounds 3` or `toolrig log`, not `npm`.",
    "```sh",
    "npm ci && npm test   # everything",
    "npx toolrig call greet \\",
    '  \'{"a": "b && c"}\' | jq .',
    "```",
    "```console",
    "$ toolrig tools",
    "toolrig prints this",
    "```",
  ].join("\n");
  expect(commandsIn(page)).toEqual([
    "npm ci",
    "npm test",
    "toolrig call greet    TEXT",
    "toolrig tools",
    "npm run bench call -- --rounds 3",
    "toolrig log",
  ]);
});

test.each([
  ["npm run lnit", "there is no script lnit"],
  ["npm run prove everything", "prove knows no everything"],
  ["npm run bench speed -- --rounds 3", "bench knows no speed"],
  ["npm install @toolrig/kit", "there is no package @toolrig/kit"],
  ["toolrig cal greet", "there is no command cal"],
  ["toolrig call greet --timout 5s", "call has no option --timout"],
  ["toolrig call greet -x", "call has no option -x"],
  ["toolrig call greet TEXT --timeout 5s", undefined],
  ["toolrig COMMAND --help", undefined],
  ["npm run prove NAME", undefined],
])("%s: %s", async (command, problem) => {
  expect(await problemOf(command, runnable)).toBe(problem);
});
