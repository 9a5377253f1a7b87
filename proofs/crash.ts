import type { CrashOptions, CrashSite, CrashStart } from "@toolrig/core/testing";
import { effectKeys, MANNERS, type Manner, type RunAnswer } from "./crash/killed-run.ts";
import { inParallel, onSite } from "./crash/sites.ts";
import type { Proof, ProofMode, Verdict } from "./proof.ts";

/** What must hold however often the process was killed, and where. */
interface Outcome {
  manners: readonly Manner[];
  /** Where it was killed, one entry a kill. */
  kills: readonly string[];
  last: CrashStart;
  effects: readonly string[];
}

interface Row {
  manner: string;
  runs: number;
  completed: number;
  unknown: number;
  mostEffects: number;
  misses: string[];
}

export const proof: Proof = {
  name: "crash",
  claim:
    "Killed with SIGKILL at any stage of a call and restarted, no side effect repeats and every call has one result",

  async run(mode, print) {
    const rows: Row[] = [];
    for (const manner of MANNERS) rows.push(await table([manner], mode, print));
    rows.push(await table(MANNERS, mode, print));
    print(
      `${"safety".padEnd(26)} ${"runs".padStart(5)} ${"done".padStart(5)} ${"unknown".padStart(8)} ${"effects at most".padStart(16)} ${"misses".padStart(7)}`,
    );
    for (const row of rows)
      print(
        `${row.manner.padEnd(26)} ${String(row.runs).padStart(5)} ${String(row.completed).padStart(5)} ${String(row.unknown).padStart(8)} ${String(row.mostEffects).padStart(16)} ${String(row.misses.length).padStart(7)}`,
      );
    for (const { misses } of rows) for (const miss of misses) print(`miss: ${miss}`);
    return rows.reduce(
      (sum: Verdict, { runs, misses }) => ({
        passed: sum.passed + runs - misses.length,
        failed: sum.failed + misses.length,
      }),
      { passed: 0, failed: 0 },
    );
  },
};

/** One kill at every stage; in the full version also a second kill during the restart. */
async function table(
  manners: readonly Manner[],
  mode: ProofMode,
  print: (line: string) => void,
): Promise<Row> {
  const options: CrashOptions = {
    module: new URL("./crash/killed-run.ts", import.meta.url),
    given: manners,
    execArgv: ["--conditions=@toolrig/source"],
  };
  const { stages } = await onSite(options, (site) => site.start());
  const label = manners.length === 1 ? manners[0]! : "all in one batch";
  if (mode === "full") print(`${label}: ${stages.length} stages: ${[...new Set(stages)].join(", ")}`);
  const row: Row = { manner: label, runs: 0, completed: 0, unknown: 0, mostEffects: 0, misses: [] };
  const plans = plansFor(stages, mode, manners.length === 1);
  await inParallel(plans, 2, async (plan) => {
    const outcome = await onSite(options, (site) => carryOut(site, plan, manners));
    count(row, outcome);
  });
  return row;
}

/** Each plan is a list of kills: the first start dies at the first number, the next at the second. */
function plansFor(stages: readonly string[], mode: ProofMode, single: boolean): number[][] {
  const every = stages.map((_, index) => [index + 1]);
  if (mode === "quick")
    return single ? every.filter(([at]) => at! % 6 === 1) : every.filter(([at]) => at! % 24 === 7);
  const twice = every.flatMap(([at]) =>
    [3, 7, 11].map((second) => [at!, ((at! * second) % stages.length) + 1]),
  );
  return [...every, ...twice];
}

async function carryOut(
  site: CrashSite,
  plan: readonly number[],
  manners: readonly Manner[],
): Promise<Outcome> {
  const kills: string[] = [];
  for (const dieAt of plan) {
    const { killed, stages } = await site.start(dieAt);
    if (killed) kills.push(stages.at(-1)!);
  }
  const last = await site.start();
  return { manners, kills, last, effects: effectKeys(site.folder) };
}

function count(row: Row, outcome: Outcome): void {
  const answer = outcome.last.answer as RunAnswer;
  const where = outcome.kills.join(", then ");
  row.runs += 1;
  const wrong = outcome.manners.flatMap((manner, index) => faults(manner, `exec_${index}`, answer, outcome));
  if (answer.open > 0 && !outcome.manners.includes("read")) wrong.push(`${answer.open} intents left open`);
  if (!answer.auditOk) wrong.push("the audit does not verify");
  if (wrong.length > 0) row.misses.push(`${row.manner}, killed ${where}: ${wrong.join("; ")}`);
  const unknown = answer.results.filter(({ failure }) => failure?.code === "TOOL_OUTCOME_UNKNOWN").length;
  if (unknown > 0) row.unknown += 1;
  else row.completed += 1;
  const most = Math.max(
    0,
    ...outcome.manners.map((_, index) => outcome.effects.filter((key) => isOf(key, `exec_${index}`)).length),
  );
  row.mostEffects = Math.max(row.mostEffects, most);
}

/** The effect of a call, or of one that its tool made. */
function isOf(key: string, executionId: string): boolean {
  return key === executionId || key.startsWith(`${executionId}.`);
}

/** What is wrong with one call, by the safety table. */
function faults(manner: Manner, executionId: string, answer: RunAnswer, { effects }: Outcome): string[] {
  const wrong: string[] = [];
  const happened = effects.filter((key) => isOf(key, executionId)).length;
  const result = answer.results.find((each) => each.executionId === executionId);
  if (answer.journaled[executionId] !== 1)
    wrong.push(`${executionId} has ${answer.journaled[executionId] ?? 0} results`);
  if ((answer.recorded[executionId] ?? 0) < 1) wrong.push(`${executionId} is not in the audit`);
  const unknown = result?.failure?.code === "TOOL_OUTCOME_UNKNOWN";
  if (result?.isError === true && !unknown) wrong.push(`${executionId} failed: ${result.failure?.message}`);
  if (unknown && manner !== "once" && manner !== "once, by a fresh reference")
    wrong.push(`${executionId} is unknown, but a ${manner} tool can be completed`);
  if (manner.startsWith("once") && happened > 1) wrong.push(`${happened} effects of ${executionId}`);
  if (result?.isError === false && result.value === "done" && happened < 1)
    wrong.push(`${executionId} claims success without an effect`);
  return wrong;
}
