import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configOf, inTurn, project, toolrig } from "../../test/toolrig-process.ts";

const named = (name: string) =>
  `tool({ name: "${name}", description: "A tool", input: any, safety: safe, execute: () => "${name}" })`;
const moduleOf = (...names: string[]) =>
  `import { tool } from "@toolrig/core";
   const any = { type: "object" };
   const safe = { sideEffects: "none", idempotent: true };
   ${names.map((name) => `export const ${name} = ${named(name)};`).join("\n")}`;

async function toolNames(cwd: string, ...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await toolrig(["tools", ...args], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0]!);
}

describe.concurrent("the config", () => {
  test("is found in a folder above, the nearest one first", async () => {
    const root = project({
      "toolrig.config.ts": configOf(named("far")),
      "a/toolrig.config.ts": configOf(named("near")),
      "a/b/c/.keep": "",
    });
    expect(await toolNames(join(root, "a/b/c"))).toEqual(["near"]);
    expect(await toolNames(root)).toEqual(["far"]);
    expect(await toolNames(root, "--config", "a/toolrig.config.ts")).toEqual(["near"]);
  });

  test("is read as a module under each of its names, whatever package.json says", async () => {
    const packages = [`{ "type": "commonjs" }`, `{ "type": "module" }`, "{}"];
    const endings = ["ts", "mts", "js", "mjs"];
    const configs = packages.flatMap((content) =>
      endings.map((ending) => {
        const name = `toolrig.config.${ending}`;
        const text = `import { one } from "./one.${ending}"; ${configOf("one")}`;
        const own = ending.endsWith("ts") ? text : text.replace(" as const", "");
        return join(
          project({ [name]: own, [`one.${ending}`]: moduleOf("one"), "package.json": content }),
          name,
        );
      }),
    );
    for (const { stdout, stderr } of await inTurn(configs.map((file) => ["tools", "--config", file])))
      expect({ stdout, stderr }).toEqual({ stdout: "one\t-\tlocal\tnone, idempotent\tyes\t\n", stderr: "" });
  });

  test("may bring what is written in CommonJS", async () => {
    const cwd = project({
      "package.json": `{ "type": "commonjs" }`,
      "toolrig.config.ts": `import one from "./one.js"; ${configOf("one.made")}`,
      "one.js": `#!/usr/bin/env node
        const { tool } = require("toolrig");
        const [any, safe] = [{ type: "object" }, { sideEffects: "none", idempotent: true }];
        exports.made = ${named("one")};`,
    });
    expect(await toolNames(cwd)).toEqual(["one"]);
  });

  test("names modules whose exports are the tools", async () => {
    const cwd = project({
      "toolrig.config.json": `{ "tools": ["./tools/first.ts", "tools/second.mjs"], "timeout": "5s" }`,
      "tools/first.ts": `${moduleOf("one", "two")}\nexport const all: unknown[] = [one, two]; export const helper = () => 1;`,
      "tools/second.mjs": `${moduleOf("three")}\nexport default three;`,
    });
    expect(await toolNames(cwd)).toEqual(["one", "three", "two"]);
  });

  test("may name modules that register their tools process-wide", async () => {
    const cwd = project({
      "toolrig.config.json": `{ "tools": ["./shared.mjs"] }`,
      "shared.mjs": `${moduleOf("shared").replace("export ", "")}\nimport { registerTool } from "toolrig"; registerTool(shared);`,
    });
    const { stdout } = await toolrig(["tools"], { cwd });
    expect(stdout).toMatch(/^shared\t-\tprocess\t/);
  });

  test("that is wrong is refused, naming the file", async () => {
    const wrong: [string, Record<string, string>, string][] = [
      ["not JSON", { "toolrig.config.json": `{ tools: [] }` }, "must be JSON"],
      ["a list", { "toolrig.config.json": `[]` }, "must be an object such as { tools: [...] }; got an array"],
      [
        "an unknown field",
        { "toolrig.config.json": `{ "timeuot": 5 }` },
        'Unknown option "timeuot" for the configuration. Did you mean "timeout"?',
      ],
      [
        "a wrong allowlist",
        { "toolrig.config.json": `{ "allow": "greet" }` },
        "allow must be a list of names of tools and providers; got a string",
      ],
      [
        "a wrong duration",
        { "toolrig.config.json": `{ "timeout": "5 parsecs" }` },
        "timeout must be a duration",
      ],
      [
        "a wrong mode",
        { "toolrig.config.json": `{ "mode": "both" }` },
        'mode must be "parallel" or "sequential"; got "both"',
      ],
      [
        "a wrong store",
        { "toolrig.config.json": `{ "store": 7 }` },
        'store must be a path such as "toolrig.db"',
      ],
      ["a wrong model", { "toolrig.config.json": `{ "model": {} }` }, "model must be text such as"],
      [
        "a policy file that is not there",
        { "toolrig.config.json": `{ "policy": "nowhere.json" }` },
        "policy must be a readable file",
      ],
      [
        "a wrong entry",
        { "toolrig.config.json": `{ "tools": [7] }` },
        "tools[0] must be a tool made by tool() or the path",
      ],
      [
        "no module",
        { "toolrig.config.json": `{ "tools": ["./nowhere.ts"] }` },
        "tools[0]: there is no module",
      ],
      [
        "no tools",
        { "toolrig.config.json": `{ "tools": ["./a.mjs"] }`, "a.mjs": "export const a = 1;" },
        "exports no tools",
      ],
      ["no default export", { "toolrig.config.ts": "export const config = {};" }, "It exports config."],
      [
        "an import that fails",
        { "toolrig.config.ts": `import "./gone.ts";` },
        "could not be loaded: Cannot find module",
      ],
      [
        "a module that throws",
        { "toolrig.config.mjs": `\nthrow new Error("oops");` },
        "could not be loaded: oops (at ",
      ],
      [
        "a tool that is wrong, with where it is made",
        {
          "toolrig.config.ts": `${configOf("")}\ntool({ name: "a b", description: "A", input: any, execute: () => 1 });`,
        },
        "toolrig.config.ts:7:1)",
      ],
      [
        "TypeScript that needs a compiler",
        { "toolrig.config.ts": `enum Colour { Red }\nexport default {};` },
        "enum",
      ],
      [
        "two tools of one name",
        { "toolrig.config.ts": configOf(`${named("one")}, ${named("one")}`) },
        "has a tool of that name",
      ],
    ];
    const configs = wrong.map(([, files]) => join(project(files), Object.keys(files)[0]!));
    const outcomes = await inTurn(configs.map((file) => ["tools", "--config", file]));
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      const [what, , problem] = wrong[index]!;
      expect({ what, code, stdout }).toEqual({ what, code: 2, stdout: "" });
      expect(stderr).toContain(configs[index]);
      expect(stderr).toContain(problem);
    }
  });

  test("that was asked for must exist", async () => {
    const { code, stderr } = await toolrig(["tools", "--config", "mine.ts"]);
    expect(code).toBe(2);
    expect(stderr).toContain("There is no config file");
  });
});
