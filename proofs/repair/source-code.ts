import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Executor, tool } from "@toolrig/core";
import type { ProofMode } from "../proof.ts";
import type { Check } from "./check.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Languages of which the installed packages hold enough, by the ending of their files. */
const LANGUAGES = ["ts", "js", "mjs", "h", "mts", "mdx", "json", "md", "scss", "css"];
/** Of the calls, how many have to be read exactly, in percent: a tool that refuses everything is safe and useless. */
const GOAL = 74;

interface Case {
  language: string;
  text: string;
  meant: unknown;
}

/** Calls that write a source file whose quotes the model forgot to escape, with the content last and first. */
function cases(most: number): Case[] {
  return LANGUAGES.flatMap((language) =>
    sources(language, most).flatMap((content) => {
      const path = `src/x.${language}`;
      const written = JSON.stringify(content).slice(1, -1).replaceAll('\\"', '"');
      return [
        { language, text: `{"path": "${path}", "content": "${written}"}`, meant: { path, content } },
        { language, text: `{"content": "${written}", "path": "${path}"}`, meant: { content, path } },
      ];
    }),
  );
}

/** A stride that is prime walks over all files, far apart, in the same order each time. */
const STRIDE = 7_919;

function sources(language: string, most: number): string[] {
  const files = globSync(`node_modules/**/*.${language}`, { cwd: ROOT }).sort();
  const found: string[] = [];
  for (let index = 0; index < files.length && found.length < most; index += 1) {
    const content = readFileSync(join(ROOT, files[(index * STRIDE) % files.length] ?? ""), "utf8");
    if (content.length >= 50 && content.length <= 9_000 && content.includes('"')) found.push(content);
  }
  return found;
}

const COUNTS = { exact: 0, refused: 0, wrong: 0 };

/** A tool that writes gets the source as it was meant or does not run. */
export async function proveSourceCode(
  check: Check,
  print: (line: string) => void,
  mode: ProofMode,
): Promise<void> {
  const all = cases(mode === "full" ? 80 : 8);
  for (const [name, closed] of [
    ["open schema", false],
    ["closed schema", true],
  ] as const) {
    const counts = new Map(LANGUAGES.map((language) => [language, { ...COUNTS }]));
    const total = { ...COUNTS };
    for (const { language, text, meant } of all) {
      const outcome = await written(text, meant, closed);
      total[outcome] += 1;
      const own = counts.get(language);
      if (own !== undefined) own[outcome] += 1;
    }
    print(`source code with unescaped quotes, ${name}: exact / refused / wrong`);
    for (const [language, { exact, refused, wrong }] of counts)
      print(`     ${language.padEnd(6)} ${exact} / ${refused} / ${wrong}`);
    const share = (100 * total.exact) / all.length;
    check(`${name}: written with wrong content`, total.wrong === 0, `${total.wrong} of ${all.length}`);
    check(`${name}: written exactly`, share >= GOAL, `${share.toFixed(1)}% (goal ${GOAL}%)`);
  }
}

async function written(text: string, meant: unknown, closed: boolean): Promise<keyof typeof COUNTS> {
  const log: unknown[] = [];
  const write = tool({
    name: "write_file",
    description: "Write a file",
    input: {
      type: "object",
      properties: { path: { type: "string" }, content: { type: "string" } },
      required: ["path", "content"],
      ...(closed && { additionalProperties: false }),
    },
    safety: { sideEffects: "write", idempotent: true },
    execute: (args: unknown) => void log.push(args),
  });
  await new Executor({ tools: [write] }).call({ id: "c", name: "write_file", arguments: text });
  const [args] = log;
  if (args === undefined) return "refused";
  return isDeepStrictEqual(args, meant) ? "exact" : "wrong";
}
