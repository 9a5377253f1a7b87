/**
 * What the pages about these peers show: each change that makes a program run beneath, before and after it, and every program. And
 * that all of it, the drivers of the proof included, agrees with the peers' own types.
 */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PEERS_PAGES, programsOf } from "../../../docs/snippets.ts";
import { wireServer } from "../../agent/test/wire/server.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const scratch = join(import.meta.dirname, ".snippets");

const programs = PEERS_PAGES.flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  return Object.entries(programsOf(text)).map(([which, { code, output }]) => {
    const title = `${page} ${which}`;
    return { title, code, output, folder: join(scratch, title.replaceAll(/\W+/g, "-")) };
  });
});

beforeAll(() => {
  for (const { folder, code } of programs) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "snippet.ts"), code);
  }
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test.concurrent("they agree with the peers' types", async () => {
  const { stdout } = await run("tsc", ["-p", import.meta.dirname]).catch((error) => error);
  expect(stdout).toBe("");
});

for (const { title, folder, output } of programs) {
  test.concurrent(`${title} runs`, async () => {
    const model = await wireServer();
    const call = { id: "c1", name: "get_weather", arguments: '{"city":"Oslo"}' };
    model.play([{ calls: [call] }, { text: "It rains in Oslo." }]);
    const env = {
      ...process.env,
      OPENAI_BASE_URL: `${model.origin}/v1`,
      OPENAI_API_KEY: "none",
    };
    try {
      const { stdout } = await run("node", ["--conditions=@toolrig/source", "snippet.ts"], {
        cwd: folder,
        env,
      });
      expect(stdout.trimEnd()).toBe(output?.trimEnd());
    } finally {
      await model.close();
    }
  });
}
