/** Processes that complete the same executions at the same moment, each with a value of its own. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deferred, Executor, tool } from "@toolrig/core";
import { openStore } from "@toolrig/store";
import type { Verdict } from "../proof.ts";

const PROCESSES = 8;

const deploy = tool({
  name: "deploy",
  description: "Deploy",
  input: { type: "object" },
  output: { type: "string" },
  execute: () => deferred(),
});

interface Job {
  path: string;
  tokens: Record<string, string>;
  value: string;
}

function openExecutor(path: string) {
  const store = openStore(path, { busyTimeout: "30s" });
  const executor = new Executor({
    tools: [deploy],
    ledger: store.ledger,
    waits: store.waits,
    store: store.records,
  });
  return { store, executor };
}

/** Each process tries every execution, with forged tokens and values of the wrong shape in between. */
export async function completeAtOnce(count: number, print: (line: string) => void): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-waiting-"));
  const path = join(folder, "rig.db");
  const { store, executor } = openExecutor(path);
  const tokens: Record<string, string> = {};
  for (let index = 0; index < count; index++) {
    const executionId = `exec_${index}`;
    await executor.call({ id: "c", name: "deploy" }, { executionId, onWaiting: "return" });
    tokens[executionId] = await executor.waits.token(executionId);
  }
  const children = Array.from({ length: PROCESSES }, () =>
    fork(import.meta.filename, { execArgv: ["--conditions=@toolrig/source"] }),
  );
  await Promise.all(children.map((child) => message(child)));
  const answers = Promise.all(children.map((child) => message(child)));
  for (const [index, child] of children.entries())
    child.send({ path, tokens, value: `process ${index}` } satisfies Job);
  const counted = (await answers) as { won: string[]; forged: number; wrong: number; refused: number }[];
  for (const child of children) child.kill();
  const misses: string[] = [];
  for (const executionId of Object.keys(tokens)) {
    const winners = counted.flatMap(({ won }, index) =>
      won.includes(executionId) ? [`process ${index}`] : [],
    );
    const { value } = store.ledger.get(executionId)?.result ?? {};
    const records = store.records.get(executionId).records.length;
    if (winners.length !== 1 || value !== winners[0] || records !== 1)
      misses.push(`${executionId}: completed by [${winners}], result ${String(value)}, ${records} records`);
  }
  const total = (key: "forged" | "wrong" | "refused") => counted.reduce((sum, each) => sum + each[key], 0);
  const tried = PROCESSES * count;
  if (total("forged") !== tried) misses.push(`forged tokens refused ${total("forged")} of ${tried}`);
  if (total("wrong") + total("refused") < tried - count)
    misses.push("completions that do not count went through");
  const waiting = store.waits.list({ open: true }).length;
  if (waiting > 0) misses.push(`${waiting} still wait`);
  await executor.drain();
  store.close();
  rmSync(folder, { recursive: true, force: true });
  print(
    `${count} executions, ${PROCESSES} processes at once: ${tried} forged tokens refused, ${total("refused")} second completions refused`,
  );
  for (const miss of misses) print(`MISS ${miss}`);
  return { passed: count - Math.min(count, misses.length), failed: misses.length };
}

function message(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`A process ended with ${code}.`)));
  });
}

async function work({ path, tokens, value }: Job): Promise<void> {
  const { store, executor } = openExecutor(path);
  const done = { won: [] as string[], forged: 0, wrong: 0, refused: 0 };
  for (const [executionId, token] of Object.entries(tokens)) {
    await executor.waits
      .complete(
        executionId,
        token.replace(/^./, (c) => (c === "0" ? "1" : "0")),
        value,
      )
      .catch(() => {
        done.forged += 1;
      });
    await executor.waits.complete(executionId, token, 42).catch(() => {
      done.wrong += 1;
    });
    await executor.waits.complete(executionId, token, value).then(
      () => done.won.push(executionId),
      () => {
        done.refused += 1;
      },
    );
  }
  await executor.drain();
  store.close();
  process.send?.(done);
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  process.once("message", (job) => void work(job as Job));
  process.send("ready");
}
