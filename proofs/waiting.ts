import type { CrashOptions, CrashStart } from "@toolrig/core/testing";
import { inParallel, onSite } from "./crash/sites.ts";
import type { Proof, ProofMode, Verdict } from "./proof.ts";
import { completeAtOnce } from "./waiting/at-once.ts";
import { fleetRows } from "./waiting/fleet.ts";
import { linesIn, MANNERS, type Manner, type ParkedAnswer } from "./waiting/parked-run.ts";
import { suspendedRuns } from "./waiting/suspended-run.ts";

interface Row {
  manner: Manner;
  stages: number;
  runs: number;
  unknown: number;
  misses: string[];
}

export const proof: Proof = {
  name: "waiting",
  claim:
    "A call that waits ends exactly once, whichever process is killed at whichever step, and no effect repeats",

  async run(mode, print) {
    print(
      `${"the wait is".padEnd(20)} ${"steps".padStart(6)} ${"killed".padStart(7)} ${"unknown".padStart(8)} ${"misses".padStart(7)}`,
    );
    const verdicts: Verdict[] = [];
    for (const manner of MANNERS) {
      const { stages, runs, unknown, misses } = await killEverywhere(manner, mode);
      print(
        `${manner.padEnd(20)} ${String(stages).padStart(6)} ${String(runs).padStart(7)} ${String(unknown).padStart(8)} ${String(misses.length).padStart(7)}`,
      );
      for (const miss of misses) print(`MISS ${miss}`);
      verdicts.push({ passed: runs - misses.length, failed: misses.length });
    }
    verdicts.push(await completeAtOnce(mode === "full" ? 200 : 20, print));
    verdicts.push(await suspendedRuns(mode, print));
    verdicts.push(await onFleet(mode, print));
    return verdicts.reduce((sum, { passed, failed }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
    }));
  },
};

async function onFleet(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const rows = await fleetRows(mode);
  const misses = rows.filter(({ expected, seen }) => expected !== seen);
  print(`on a fleet: ${rows.length} calls, workers and server killed, ${misses.length} misses`);
  for (const { what, expected, seen } of misses) print(`MISS ${what}: expected ${expected}; seen ${seen}`);
  return { passed: rows.length - misses.length, failed: misses.length };
}

/** One kill at every step; in the full version also a second one during the restart. */
async function killEverywhere(manner: Manner, mode: ProofMode): Promise<Row> {
  const options: CrashOptions = {
    module: new URL("./waiting/parked-run.ts", import.meta.url),
    given: manner,
    execArgv: ["--conditions=@toolrig/source"],
  };
  const { stages } = await onSite(options, (site) => site.start());
  const row: Row = { manner, stages: stages.length, runs: 0, unknown: 0, misses: [] };
  await inParallel(plansFor(stages.length, mode), 2, (plan) =>
    onSite(options, async (site) => {
      const where: string[] = [];
      for (const dieAt of plan) {
        const { killed, stages: passed } = await site.start(dieAt);
        if (killed) where.push(passed.at(-1) ?? "");
      }
      count(row, await site.start(), linesIn(site.folder, "effects").length, where.join(", then "));
    }),
  );
  return row;
}

function plansFor(stages: number, mode: ProofMode): number[][] {
  const every = Array.from({ length: stages }, (_, index) => [index + 1]);
  if (mode === "quick") return every.filter(([at = 0]) => at % 12 === 5);
  return [...every, ...every.map(([at = 0]) => [at, ((at * 5) % stages) + 1])];
}

/** What must hold however often the process was killed, and where. */
function count(row: Row, { answer }: CrashStart, effects: number, where: string): void {
  const { results, records, open, waiting, auditOk } = answer as ParkedAnswer;
  const [result, again] = results;
  row.runs += 1;
  const { manner } = row;
  const code = result?.failure?.code ?? "ok";
  const isUnknown = code === "TOOL_OUTCOME_UNKNOWN";
  if (isUnknown) row.unknown += 1;
  const wanted = {
    cancelled: "TOOL_CANCELLED",
    expired: "TOOL_TIMEOUT",
    "failed elsewhere": "TOOL_EXECUTION_FAILED",
  };
  const expected = wanted[manner as keyof typeof wanted] ?? "ok";
  const most = manner === "external" ? 0 : manner === "asked, idempotent" ? 3 : 1;
  const wrong = [
    ...(code === expected || isUnknown ? [] : [`result ${code}`]),
    ...(again?.failure?.code === result?.failure?.code && again?.value === result?.value
      ? []
      : ["two results"]),
    ...(effects > most ? [`${effects} effects`] : []),
    ...(code === "ok" && effects < Math.min(1, most) ? ["no effect"] : []),
    // What was started again has a record of the start that was lost, too.
    ...(records === 1 || (records === 2 && manner === "asked, idempotent") ? [] : [`${records} records`]),
    ...(open === 0 ? [] : [`${open} intents left open`]),
    ...(waiting === 0 ? [] : [`${waiting} still wait`]),
    ...(auditOk ? [] : ["the audit does not verify"]),
  ];
  if (wrong.length > 0) row.misses.push(`${manner}, killed ${where}: ${wrong.join("; ")}`);
}
