import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { configIn } from "../config/load-config.ts";
import { command } from "../shell/command.ts";
import { note, print, printJson } from "../terminal/output.ts";
import { sampleFiles } from "./init/sample.ts";

export const init = command({
  name: "init",
  positionals: ["[FOLDER]"],
  options: {
    js: { type: "boolean", describe: "write JavaScript in place of TypeScript" },
    force: { type: "boolean", describe: "write over files that are there" },
  },
  details: [
    "Writes toolrig.config.ts, tools/greet.ts and tools/greet.test.ts to the folder, by default this one. Where package.json",
    'does not say "type": "module" they end in .mts, so that every Node reads them as what they are. A file that is there',
    "stays as it is: nothing is written then, unless --force says so. The names of the files go to stdout.",
  ].join("\n"),
  examples: ["npm init -y && npm install toolrig && npx toolrig init", "toolrig init tools-of-mine --js"],

  run({ values, positionals: [given = "."] }) {
    const folder = resolve(given);
    const files = sampleFiles(endingFor(folder, values.js === true));
    const paths = Object.keys(files);
    checkFree(folder, paths, values.force === true);
    try {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        // Not through a link that leads elsewhere, either.
        writeFileSync(join(folder, path), text, { flag: values.force === true ? "w" : "wx" });
      }
    } catch (error) {
      throw new ToolrigError("OPTION_INVALID", `The files cannot be written: ${messageOf(error)}.`);
    }
    if (values.json === true) printJson({ folder, files: paths });
    else for (const path of paths) print(join(relative("", folder), path));
    noteNext(folder, paths);
    return 0;
  },
});

/** Where a package says nothing, or CommonJS, only the ending makes a file a module for every program that reads it. */
function endingFor(folder: string, isPlain: boolean): string {
  return `${typeOf(folder) === "module" ? "" : "m"}${isPlain ? "js" : "ts"}`;
}

/** What the nearest package.json says. */
function typeOf(folder: string): unknown {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, "package.json");
    if (existsSync(file)) {
      try {
        return (JSON.parse(readFileSync(file, "utf8")) as { type?: unknown }).type;
      } catch {
        return undefined;
      }
    }
    if (dirname(at) === at) return undefined;
  }
}

/** Throws before anything is written. A config under another name would be read in place of the new one, or beside it. */
function checkFree(folder: string, paths: readonly string[], force: boolean): void {
  const config = configIn(folder);
  const other = config !== undefined && !paths.includes(relative(folder, config)) ? [config] : [];
  const taken = force ? [] : paths.filter((path) => existsSync(join(folder, path)));
  const there = [...new Set([...other, ...taken.map((path) => join(folder, path))])];
  if (there.length === 0) return;
  const advice = other.length > 0 ? "Remove it first" : "Give --force to write over them";
  throw new ToolrigError(
    "OPTION_INVALID",
    `Nothing was written, since there is ${there.join(", ")}. ${advice}.`,
  );
}

function noteNext(folder: string, [, , test]: readonly string[]): void {
  const enter = relative("", folder);
  const steps = [
    ...(enter === "" ? [] : [`cd ${enter}`]),
    ...(isInstalled(folder) ? [] : ["npm install toolrig"]),
    `npx toolrig call greet '{"name": "Ada"}'`,
    `node --test ${test}`,
    "npx toolrig log",
  ];
  note(["Next:", ...steps.map((step) => `  ${step}`)].join("\n"), "dim");
}

function isInstalled(folder: string): boolean {
  try {
    return createRequire(join(folder, "toolrig.config.js")).resolve("toolrig/package.json") !== "";
  } catch (error) {
    return (error as { code?: unknown }).code === "ERR_PACKAGE_PATH_NOT_EXPORTED";
  }
}
