/** Attempts by commands to get out, learn something, stay or fill the machine. */
import { findExecutable } from "../../packages/toolkit/src/process/executable.ts";
import type { ProofMode, Verdict } from "../proof.ts";
import { argumentAttempts } from "./processes/arguments.ts";
import type { ProcessAttempt } from "./processes/attempt.ts";
import { lastingAttempts } from "./processes/lasting.ts";
import { resourceAttempts } from "./processes/resources.ts";
import { sightAttempts } from "./processes/sight.ts";
import { SECRET, Stage } from "./stage.ts";

const ATTEMPTS: readonly ProcessAttempt[] = [
  ...argumentAttempts,
  ...sightAttempts,
  ...lastingAttempts,
  ...resourceAttempts,
];

/** Each attempt with a sandbox, where there is one, and without. */
export async function processEscapes(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const verdict: Verdict = { passed: 0, failed: 0 };
  if (process.platform !== "linux") return { ...verdict, skipped: "processes are looked at through /proc" };
  process.env.TOOLRIG_PROOF_SECRET = SECRET;
  const skipped: string[] = [];
  for (const sandbox of ["auto", "off"] as const) {
    const stage = await Stage.open({ sandbox });
    const { level, missing } = stage.isolation;
    if (sandbox === "auto" && level !== "namespaces") {
      skipped.push(missing.join("; "));
      await stage.close();
      continue;
    }
    for (const attempt of ATTEMPTS) {
      const reason = notShown(attempt, stage, mode);
      if (reason !== undefined) {
        if (reason !== "") skipped.push(`${attempt.name} (${level}): ${reason}`);
        continue;
      }
      const seen = await seenOf(attempt, stage);
      const held = seen === undefined;
      verdict[held ? "passed" : "failed"] += 1;
      print(
        `${held ? "held" : "MISS"}  ${level.padEnd(10)}  ${attempt.name} – ${attempt.expected} – ${seen ?? "the same"}`,
      );
    }
    await stage.close();
  }
  delete process.env.TOOLRIG_PROOF_SECRET;
  return skipped.length === 0 ? verdict : { ...verdict, skipped: skipped.join("; ") };
}

/** Why an attempt is not made here; empty where it is not meant to be. */
function notShown(attempt: ProcessAttempt, { isolation }: Stage, mode: ProofMode): string | undefined {
  if (attempt.full === true && mode === "quick") return "";
  if (attempt.needs === "namespaces" && isolation.level !== "namespaces") return "";
  if (attempt.needs !== undefined && findExecutable("prlimit") === undefined) return "prlimit is missing";
  if (attempt.needs === "processes" && isolation.level !== "namespaces" && process.getuid?.() === 0)
    return "the system sets its administrator no limit of processes";
  return undefined;
}

async function seenOf(attempt: ProcessAttempt, stage: Stage): Promise<string | undefined> {
  try {
    return await attempt.miss(stage);
  } catch (error) {
    return `it threw ${error instanceof Error ? error.message : String(error)}`;
  }
}
