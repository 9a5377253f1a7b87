import { expect, test } from "vitest";
import { configOf, inTurn, project } from "../../test/toolrig-process.ts";
import { commands } from "../commands/commands.ts";

/** Wrong values of each kind, by the word that stands for the value in help. Other words stand for any text, or for a thing that is looked up. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  DURATION: ["soon", "-5s", ""],
  N: ["many", "-1", "1.5", ""],
  PORT: ["http", "70000", ""],
  TIME: ["yesterday", "2026-13-45", ""],
  KIND: ["strange", ""],
  "ndjson|csv": ["xml", ""],
  SCOPES: ["everything", ""],
  "SEQ:HASH": ["5", "a:b", ""],
  ID: [""],
  EXECUTION: [""],
};

/** Arguments with which a command gets as far as its flags. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  call: ["greet", "{}"],
  "call --execution": [],
  code: ["script.ts"],
  run: ["a task"],
  resume: ["@last"],
  audit: ["export"],
  "audit --anchor": ["verify"],
  "approvals --for": ["approve", "exec_1", "--always"],
  token: ["new"],
  dlq: ["list", "--nats", "nats://127.0.0.1:1"],
  worker: ["--nats", "nats://127.0.0.1:1"],
};

const cwd = project({
  "toolrig.config.ts": configOf(
    `tool({ name: "greet", description: "Greet", input: any, safety: safe, execute: () => "hello" })`,
    `store: "toolrig.db"`,
  ),
  "script.ts": "return 1;",
});

const cases: string[][] = [];
for (const [name, { load }] of Object.entries(commands))
  for (const [flag, { value = "" }] of Object.entries((await load()).options))
    for (const wrong of WRONG[value] ?? [])
      cases.push([name, ...(ARGUMENTS[`${name} --${flag}`] ?? ARGUMENTS[name] ?? []), `--${flag}=${wrong}`]);

test("a wrong value of every flag exits 2, and the message names the flag and the value", async () => {
  const [made, ...outcomes] = await inTurn([["call", "greet", "{}"], ...cases], { cwd });
  expect(made).toMatchObject({ code: 0 });
  const said = outcomes.map(({ code, stderr }, index) => `${cases[index]?.join(" ")} > ${code} ${stderr}`);
  const expected = cases.map((args) => {
    const [flag, wrong] = (args.at(-1) ?? "").split("=");
    return expect.stringMatching(`> 2 toolrig: .*${flag}.* got .*${wrong}`);
  });
  expect(said).toEqual(expected);
});
