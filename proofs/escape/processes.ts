/** The half about processes: commands that want to get out, learn something, stay or fill the machine. */
import { findExecutable } from "../../packages/toolkit/src/process/executable.ts";
import type { ProofMode } from "../proof.ts";
import type { Attempt, MakeHalf } from "./attempt.ts";
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
export const processes: MakeHalf = async (mode) => {
  if (process.platform !== "linux")
    return { attempts: [], skipped: "processes are looked at through /proc", close: async () => undefined };
  process.env.TOOLRIG_PROOF_SECRET = SECRET;
  const stages = [await Stage.open({ sandbox: "off" })];
  const sandboxed = await Stage.open({ sandbox: "auto" });
  const skipped: string[] = [];
  if (sandboxed.isolation.level === "namespaces") stages.unshift(sandboxed);
  else skipped.push(...sandboxed.isolation.missing);
  // What a sandbox changes most is how what stays is found; the quick version leaves the rest to one of them.
  const attempts = stages.flatMap((stage, index) =>
    (mode === "quick" && index > 0 ? lastingAttempts : ATTEMPTS).flatMap((attempt) => {
      const reason = notShown(attempt, stage, mode);
      if (reason === undefined) return [onStage(attempt, stage)];
      if (reason !== "") skipped.push(`${attempt.name} (${stage.isolation.level}): ${reason}`);
      return [];
    }),
  );
  return {
    attempts,
    ...(skipped.length > 0 && { skipped: skipped.join("; ") }),
    async close() {
      delete process.env.TOOLRIG_PROOF_SECRET;
      await Promise.all([...new Set([...stages, sandboxed])].map((stage) => stage.close()));
      return undefined;
    },
  };
};

function onStage({ name, expected, miss }: ProcessAttempt, stage: Stage): Attempt {
  return {
    title: `${stage.isolation.level}: ${name}`,
    expected,
    async run() {
      const seen = await miss(stage);
      return { seen: seen ?? expected, ok: seen === undefined };
    },
  };
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
