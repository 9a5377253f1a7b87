import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { configOf, inTurn, type Outcome, project, toolrig } from "../../test/toolrig-process.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";

const settings = `store: "toolrig.db", dynamicTools: { typescript: false }`;
const config = configOf(
  `tool({ name: "look", description: "Look", input: any, safety: safe, execute: () => "seen" })`,
  settings,
);
const handler = "const words: string[] = input.text.split(' ').slice(0, input.most);\nreturn words.length;\n";
const flags = [
  "--handler",
  "count.ts",
  "--args",
  "text:string, most:integer?",
  "--description",
  "Count words",
];
const files = {
  "toolrig.config.ts": config,
  "count.ts": handler,
  "look.json": JSON.stringify({
    name: "look_twice",
    description: "Look twice",
    arguments: [],
    handler: "return [await tools.look({}), await tools.look({})];",
    capabilities: ["look"],
    example: {},
  }),
  "enum.json": JSON.stringify({
    ...{ name: "bad_one", description: "Bad", arguments: [], example: {} },
    handler: "\nenum A { b }",
  }),
};

test("makes, lists, shows, tries and removes tools, and others find them", async () => {
  const cwd = project(files);
  const outcomes = await inTurn(
    [
      ["tool", "list"],
      ["tool", "new", "count_words", ...flags, "--example", `{"text":"one two"}`],
      ["tool", "new", "look.json", "--as", "ann", "--json"],
      ["tool", "list"],
      ["tool", "show", "count_words"],
      ["tool", "test", "count_words"],
      ["tool", "test", "count_words", `{"text": "a b c", "most": 2}`, "--json"],
      ["tools"],
      ["call", "look_twice"],
      ["tool", "remove", "count_words"],
      ["tool", "list", "--json"],
    ],
    { cwd },
  );
  expect(outcomes.map(({ code }) => code)).toEqual(outcomes.map(() => 0));
  const [none, made, json, list, shown, tried, given, tools, called, removed, left] = outcomes as [
    ...[Outcome, Outcome, Outcome, Outcome, Outcome, Outcome],
    ...[Outcome, Outcome, Outcome, Outcome, Outcome],
  ];
  expect(none).toEqual({ code: 0, stdout: "", stderr: "No tools were made.\n" });
  expect(made.stdout).toMatch(/^count_words 1\tnone\t[0-9a-f]{64}\n$/);
  expect(made.stderr).toBe("The example returned 2.\nTypes: not checked: it is switched off.\n");
  expect(JSON.parse(json.stdout).value).toMatchObject({ example: { returned: ["seen", "seen"] } });
  const hash = made.stdout.split("\t")[2]?.slice(0, 12);
  expect(list.stdout.split("\n")[0]).toBe(`count_words\t1\tready\tnone\t-\t${hash}\t`);
  expect(list.stdout.split("\n")[1]).toMatch(/^look_twice\t1\tready\tnone\tann\t/);
  expect(shown.stdout).toContain(handler.trimEnd());
  expect(tried.stdout).toBe("2\n");
  expect(JSON.parse(given.stdout)).toMatchObject({ value: 2 });
  expect(tools.stdout).toMatch(/^count_words\t1\.0\.0\+[0-9a-f]{8}…\tdynamic\tnone, idempotent\tyes/m);
  expect(called.stdout).toBe('["seen","seen"]\n');
  expect(removed.stderr).toBe("count_words is removed.\n");
  expect(JSON.parse(left.stdout)).toMatchObject([{ name: "look_twice", status: "ready" }]);
});

test("says what is wrong, with the exit code for it", async () => {
  const cwd = project({ ...files, "off.config.ts": configOf("") });
  const cases: [string[], number, RegExp][] = [
    [["tool", "nwe"], 2, /Did you mean "?new/],
    [["tool", "new"], 2, /needs a NAME with --handler, or a FILE/],
    [["tool", "new", "none.json"], 2, /FILE must be a readable file/],
    [["tool", "new", "look.json", "--uses", "look"], 2, /--uses goes with --handler/],
    [["tool", "new", "a_b", "--handler", "count.ts"], 2, /needs --description/],
    [["tool", "new", "a_b", ...flags.with(3, "text")], 2, /--args must be a list such as/],
    [["tool", "new", "a_b", ...flags, "--example", "{"], 2, /--example must be JSON/],
    [["tool", "new", "a_b", ...flags], EXIT_CODE.validation, /example is missing/],
    [["tool", "new", "enum.json"], EXIT_CODE.validation, /line 2 of the handler: TypeScript enum/],
    [["tool", "show", "nobody"], EXIT_CODE.not_found, /No tool called "nobody" was made/],
    [["tool", "list", "--config", "off.config.ts"], 2, /set dynamicTools: true/],
  ];
  const outcomes = await inTurn(
    cases.map(([args]) => args),
    { cwd },
  );
  for (const [index, [args, code, message]] of cases.entries()) {
    expect({ args, code: outcomes[index]?.code }).toEqual({ args, code });
    expect(outcomes[index]?.stderr).toMatch(message);
  }
});

test("a row that was changed is shown as quarantined, with the reason", async () => {
  const cwd = project(files);
  expect((await toolrig(["tool", "new", "look.json"], { cwd })).code).toBe(0);
  const database = new DatabaseSync(join(cwd, "toolrig.db"));
  database.exec(`UPDATE catalog SET spec = replace(spec, 'tools.look({})]', 'input]')`);
  database.close();
  const [list, show, call, test, remove] = (await inTurn(
    [
      ["tool", "list"],
      ["tool", "show", "look_twice"],
      ["call", "look_twice"],
      ["tool", "test", "look_twice"],
      ["tool", "remove", "look_twice"],
    ],
    { cwd },
  )) as [Outcome, Outcome, Outcome, Outcome, Outcome];
  expect(list.stdout).toMatch(
    /^look_twice\t-\tquarantined\t-\t-\t-\tthe row cannot be read: it does not match its checksum/,
  );
  expect([show.code, call.code, test.code, remove.code]).toEqual([
    EXIT_CODE.unavailable,
    EXIT_CODE.not_found,
    EXIT_CODE.not_found,
    0,
  ]);
  expect(show.stderr).toMatch(/quarantined: the row cannot be read: it does not match its checksum/);
});

test.each([
  ["cut off", `substr(spec, 1, 40)`],
  ["empty", `''`],
  [
    "nested too deeply",
    `'{"type":"dynamic","a":' || replace(hex(zeroblob(50000)), '00', '[') || replace(hex(zeroblob(50000)), '00', ']') || '}'`,
  ],
])("a row that is %s stops nothing but itself", async (_, spec) => {
  const cwd = project(files);
  expect((await toolrig(["tool", "new", "look.json"], { cwd })).code).toBe(0);
  const database = new DatabaseSync(join(cwd, "toolrig.db"));
  database.exec(`UPDATE catalog SET spec = ${spec}`);
  database.close();
  const [list, doctor, tools, call, remove, after] = (await inTurn(
    [["tool", "list"], ["doctor"], ["tools"], ["call", "look"], ["tool", "remove", "look_twice"], ["doctor"]],
    { cwd },
  )) as [Outcome, Outcome, Outcome, Outcome, Outcome, Outcome];
  expect(list.stdout).toMatch(/^look_twice\t-\tquarantined\t-\t-\t-\tthe row cannot be read: /);
  expect(doctor.stdout).toMatch(/^fail +look_twice: quarantined: the row cannot be read/m);
  expect([list, doctor, tools, call, remove, after].map(({ code }) => code)).toEqual([0, 1, 0, 0, 0, 0]);
});
