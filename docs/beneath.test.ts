/** The changes that make a program run beneath a rig or on one, as their pages show them: before each, and after it. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wireServer } from "../packages/agent/test/wire/server.ts";
import { blocksIn, sideOf, WEATHER_PAGES } from "./snippets.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const scratch = join(root, ".beneath");
const changes = ["ai-sdk", "by-hand"].flatMap((name) => {
  const text = readFileSync(join(root, `docs/beneath/${name}.md`), "utf8");
  return [
    { title: `${name} before`, ...sideOf(text, "-") },
    { title: `${name} after`, ...sideOf(text, "+") },
  ];
});
const moves = WEATHER_PAGES.flatMap((page) =>
  blocksIn(readFileSync(join(root, page), "utf8")).map((block, at) => ({
    title: `${page} #${at + 1}`,
    ...block,
  })),
);
const programs = [...changes, ...moves].map((program) => ({
  ...program,
  folder: join(scratch, program.title.replaceAll(/\W+/g, "-")),
}));

beforeAll(() => {
  for (const { folder, code } of programs) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "snippet.ts"), code);
  }
  const config = { extends: "../tsconfig.check.json", include: ["*/*.ts"] };
  writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(config));
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test.concurrent("all of them type-check", async () => {
  const { stdout } = await run("tsc", ["-p", scratch]).catch((error) => error);
  expect(stdout).toBe("");
});

test.concurrent.each(programs)("$title runs", async ({ folder, output }) => {
  const model = await wireServer();
  const call = { id: "c1", name: "get_weather", arguments: '{"city":"Oslo"}' };
  model.play([{ calls: [call] }, { text: "It rains in Oslo." }]);
  const env = {
    ...process.env,
    OPENAI_BASE_URL: `${model.origin}/v1`,
    OPENAI_API_KEY: "none",
  };
  try {
    const node = run("node", ["--conditions=@toolrig/source", "snippet.ts"], { cwd: folder, env });
    expect((await node).stdout.trimEnd()).toBe(output?.trimEnd());
  } finally {
    await model.close();
  }
});
