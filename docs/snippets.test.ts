/**
 * Type-checks and runs every TypeScript block of the pages, and every `@example` of the sources, as a program of its own.
 * What needs more than Node has the real thing: a NATS server stands in for the one at the usual address, and models
 * of providers are answered by a local server that speaks their format.
 */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wireServer } from "../packages/agent/test/wire/server.ts";
import { type NatsProcess, startNats } from "../scripts/start-nats.ts";
import { snippetsOf } from "./snippets.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const scratch = join(root, ".snippets");
const snippets = snippetsOf(root).map((snippet, index) => ({
  ...snippet,
  folder: join(scratch, `${index}-${snippet.title.replaceAll(/\W+/g, "-")}`),
}));

/** What a newcomer imports first: each shows in the editor how it is used. */
const FIRST_NAMES = [
  "tool deferred Executor Registry registerTool result success failure validation transient",
  "policyGuard protectedPaths InformationFlow ApprovalQueue budgetGuard",
  "recording replaying reconcileOpen readResultTool",
  "AgentLoop StructuredLoop PlanExecutor aiSdkEngine scriptedEngine selectTools",
  "openStore NatsWorker NatsExecutor rig defineConfig toolkit",
].flatMap((line) => line.split(" "));

let nats: NatsProcess;
let models: Awaited<ReturnType<typeof wireServer>>;

beforeAll(async () => {
  nats = await startNats();
  models = await wireServer();
  models.play(Array.from({ length: 20 }, () => ({ text: "Hello!" })));
  for (const { folder, code } of snippets) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "snippet.ts"), code.replaceAll("nats://127.0.0.1:4222", nats.url));
  }
  const config = { extends: "../tsconfig.check.json", include: ["*/*.ts"] };
  writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(config));
});

afterAll(async () => {
  await models.close();
  await nats.close();
  rmSync(scratch, { recursive: true, force: true });
});

test.concurrent("all of them type-check", async () => {
  const { stdout } = await run("tsc", ["-p", scratch]).catch((error) => error);
  expect(stdout).toBe("");
});

for (const { title, folder, output } of snippets) {
  test.concurrent(`${title} runs`, async () => {
    const { stdout } = await run("node", ["--conditions=@toolrig/source", "snippet.ts"], {
      cwd: folder,
      env: {
        ...process.env,
        OPENAI_BASE_URL: `${models.origin}/v1`,
        OPENAI_API_KEY: "none",
      },
    });
    if (output !== undefined) expect(stdout.trimEnd()).toBe(output.trimEnd());
  });
}

test("what a newcomer imports first has an example", () => {
  const shown = new Set(snippets.map(({ name }) => name));
  expect(FIRST_NAMES.filter((name) => !shown.has(name))).toEqual([]);
});
