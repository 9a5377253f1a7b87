/** The changes that make a program run beneath a rig, as their pages show them: the program before each, and after it. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wireServer } from "../packages/agent/test/wire/server.ts";
import { sideOf } from "./snippets.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const scratch = join(root, ".beneath");
const programs = ["ai-sdk", "by-hand"].flatMap((page) => {
  const text = readFileSync(join(import.meta.dirname, `beneath/${page}.md`), "utf8");
  return (["-", "+"] as const).map((sign) => {
    const when = sign === "-" ? "before" : "after";
    return { title: `${page} ${when}`, folder: join(scratch, `${page}-${when}`), ...sideOf(text, sign) };
  });
});

beforeAll(() => {
  for (const { folder, code } of programs) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "snippet.ts"), code);
  }
  const config = { extends: "../tsconfig.check.json", include: ["*/*.ts"] };
  writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(config));
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test.concurrent("all of them type-check", { timeout: 300_000 }, async () => {
  const { stdout } = await run("tsc", ["-p", scratch]).catch((error) => error);
  expect(stdout).toBe("");
});

test.concurrent.each(programs)("$title runs", { timeout: 120_000 }, async ({ folder, output }) => {
  const model = await wireServer();
  const call = { id: "c1", name: "get_weather", arguments: '{"city":"Oslo"}' };
  model.play([{ calls: [call] }, { text: "It rains in Oslo." }]);
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: join(scratch, "cache"),
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
