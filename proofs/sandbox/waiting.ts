/** Scripts that wait: killed from outside while they do, and killed by themselves at every step. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CrashOptions } from "@toolrig/core/testing";
import { HANG_MS } from "../../scripts/hang-limit.ts";
import { inParallel, onSite } from "../crash/sites.ts";
import type { ProofMode, Verdict } from "../proof.ts";
import { effectsOf, endAll, KINDS, type Kind, open, type ScriptAnswer } from "./waiting-script.ts";

/** For the quick version. */
const QUICK: readonly Kind[] = ["approval", "all at once"];
const SOURCE = "--conditions=@toolrig/source";

export async function waitingScripts(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const verdicts = [
    await killedWhileWaiting(mode, print),
    await killedWhileWriting(mode, print),
    await killedEverywhere(mode, print),
  ];
  return {
    passed: verdicts.reduce((sum, { passed }) => sum + passed, 0),
    failed: verdicts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** A process holds the script until it waits and is killed with SIGKILL; this one ends the wait; a third goes on. */
async function killedWhileWaiting(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const misses: string[] = [];
  const kinds = mode === "full" ? KINDS : KINDS.filter((kind) => QUICK.includes(kind));
  await inParallel(kinds, 2, async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-script-"));
    try {
      misses.push(...(await killAndGoOn(kind, folder)).map((miss) => `${kind}: ${miss}`));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  print(
    `scripts killed with SIGKILL while they waited, taken up by another process: ${kinds.length}, ${misses.length} misses`,
  );
  for (const miss of misses) print(`MISS ${miss}`);
  return { passed: Math.max(0, kinds.length - misses.length), failed: misses.length };
}

/** Longer than all that a script which waits still writes takes with the slow store. */
const WRITES_MS = 900;
const SLOW_MS = 100;

/** The same with a slow store, killed at moments after the script waits: none of them may lose what only asked. */
async function killedWhileWriting(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const times = mode === "full" ? 36 : 3;
  const moments = Array.from({ length: times }, (_, index) => (WRITES_MS * (index + 0.5)) / times);
  const misses: string[] = [];
  await inParallel(moments, 2, async (afterMs) => {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-script-"));
    try {
      const found = await killAndGoOn("all at once", folder, { afterMs, slowMs: SLOW_MS });
      misses.push(...found.map((miss) => `${afterMs} ms after it waited: ${miss}`));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  print(
    `scripts on a slow store killed with SIGKILL after they waited, all at once: ${times}, ${misses.length} misses`,
  );
  for (const miss of misses) print(`MISS ${miss}`);
  return { passed: Math.max(0, times - misses.length), failed: misses.length };
}

async function killAndGoOn(kind: Kind, folder: string, { afterMs = 0, slowMs = 0 } = {}): Promise<string[]> {
  const first = processOf(folder, kind, "hold", slowMs);
  await first.said("it waits");
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const before = linesIn(folder, "effects");
  first.child.kill("SIGKILL");
  await first.over;
  const opened = open(folder);
  await opened.reconciled;
  await endAll(opened);
  await opened.executor.drain();
  opened.store.close();
  const last = processOf(folder, kind, "go on");
  await last.over;
  const { value, failure } = JSON.parse(last.text().trim().split("\n").at(-1) ?? "{}");
  const effects = linesIn(folder, "effects").sort();
  const reads = linesIn(folder, "reads").length;
  return [
    ...(before.includes("last") ? ["it did not wait"] : []),
    ...(value?.seen === 7 ? [] : [`result ${JSON.stringify(value ?? failure)}`]),
    ...(String(effects) === String(effectsOf(kind)) ? [] : [`effects ${effects}`]),
    ...(reads === 1 ? [] : [`${reads} reads: a finished call was made again`]),
  ];
}

function processOf(folder: string, kind: Kind, what: "hold" | "go on", slowMs = 0) {
  const child = spawn(process.execPath, [SOURCE, import.meta.filename, folder, kind, what, `${slowMs}`]);
  let text = "";
  let heard = () => {};
  child.stdout.on("data", (chunk) => {
    text += chunk;
    heard();
  });
  child.stderr.on("data", (chunk) => process.stderr.write(chunk));
  const over = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const said = (words: string) =>
    new Promise<void>((resolve, reject) => {
      heard = () => text.includes(words) && resolve();
      void over.then(() => reject(new Error(`It ended before it said "${words}": ${text}`)));
      heard();
    });
  return { child, over, said, text: () => text };
}

/** What such a process does. The script waits once all of its calls do and it is written down. */
async function act(folder: string, kind: Kind, what: string, slowMs: number): Promise<void> {
  const { store, executor, run, reconciled } = open(folder, undefined, slowMs);
  await reconciled;
  if (what === "hold") {
    let isOver = false;
    const running = run(kind).finally(() => {
      isOver = true;
    });
    const isKept = () => store.journal.entries("exec_1/script").some(({ type }) => type === "waiting");
    while (!isKept() && !isOver) await new Promise((resolve) => setTimeout(resolve, 10));
    console.log(isOver ? "it did not wait" : "it waits");
    await running;
    return;
  }
  const { value, failure } = await run(kind);
  console.log(JSON.stringify({ value, failure }));
  await executor.drain();
  store.close();
}

interface Row {
  killed: number;
  unknown: number;
  misses: string[];
}

async function killedEverywhere(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const verdict: Verdict = { passed: 0, failed: 0 };
  for (const held of mode === "full" ? [false, true] : [false])
    for (const kind of mode === "full" ? KINDS : KINDS.slice(-1)) {
      const { killed, unknown, misses } = await killedAtSteps(kind, held, mode);
      const what = `a script that waits for ${kind}${held ? ", held" : ""}`;
      print(`${what}: killed at ${killed} steps, ${unknown} unknown, ${misses.length} misses`);
      for (const miss of misses) print(`MISS ${miss}`);
      verdict.passed += killed - misses.length;
      verdict.failed += misses.length;
    }
  return verdict;
}

async function killedAtSteps(kind: Kind, held: boolean, mode: ProofMode): Promise<Row> {
  const options: CrashOptions = {
    module: new URL("./waiting-script.ts", import.meta.url),
    given: { kind, held },
    execArgv: [SOURCE],
    timeoutMs: HANG_MS,
  };
  const { stages } = await onSite(options, (site) => site.start());
  const every = Array.from({ length: stages.length }, (_, index) => index + 1);
  const row: Row = { killed: 0, unknown: 0, misses: [] };
  const plan = mode === "full" ? every : every.filter((at) => at % 48 === 25);
  await inParallel(plan, 2, (dieAt) =>
    onSite(options, async (site) => {
      const { stages: passed } = await site.start(dieAt);
      const { answer } = await site.start();
      row.killed += 1;
      const wrong = wrongWith(answer as ScriptAnswer, kind, linesIn(site.folder, "effects"));
      if (wrong.isUnknown) row.unknown += 1;
      if (wrong.list.length > 0)
        row.misses.push(`killed ${passed.at(-1)} (step ${dieAt}): ${wrong.list.join("; ")}`);
    }),
  );
  return row;
}

/** No effect twice, wherever it was killed; every effect once where the script says that it has ended. */
function wrongWith(
  { result, again, open: intents, waiting }: ScriptAnswer,
  kind: Kind,
  effects: readonly string[],
) {
  const code = result.failure?.code ?? "ok";
  const isUnknown = code === "TOOL_OUTCOME_UNKNOWN";
  const list = [
    ...(code === "ok" || isUnknown ? [] : [`result ${code}: ${result.failure?.message}`]),
    ...(JSON.stringify(again.value) === JSON.stringify(result.value) ? [] : ["two results"]),
    ...(new Set(effects).size === effects.length ? [] : [`effects ${effects}`]),
    ...(code !== "ok" || String([...effects].sort()) === String(effectsOf(kind))
      ? []
      : [`effects ${effects}`]),
    ...(intents === 0 ? [] : [`${intents} intents left open`]),
    ...(waiting === 0 ? [] : [`${waiting} still wait`]),
  ];
  return { list, isUnknown };
}

function linesIn(folder: string, file: string): string[] {
  try {
    return readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

const [, program, folder, kind, what, slowMs] = process.argv;
if (program === import.meta.filename && folder !== undefined && what !== undefined)
  await act(folder, kind as Kind, what, Number(slowMs));
