import type { StepReport } from "./outcome.ts";
import type { Step } from "./plan.ts";
import { referencesOf } from "./reference.ts";

/** A step whose sources failed cannot run; one whose sources were skipped is skipped; one whose sources wait waits. */
export function blockedBy(step: Step, reports: ReadonlyMap<string, StepReport>): StepReport | undefined {
  for (const name of step.after ?? []) {
    const status = reports.get(name)?.status;
    if (status === "failed" || status === "stopped")
      return { status: "stopped", reason: `It waits for ${name}, which ${status}.` };
    if (status === "waiting") return waitsFor(name);
  }
  for (const { $from } of referencesOf(step)) {
    const status = reports.get($from)?.status;
    if (status === "failed" || status === "stopped")
      return { status: "stopped", reason: `It needs ${$from}, which ${status}.` };
    if (status === "waiting") return waitsFor($from);
    if (status === "skipped") return { status: "skipped", reason: `It needs ${$from}, which was skipped.` };
  }
  return undefined;
}

function waitsFor(name: string): StepReport {
  return { status: "waiting", reason: `It needs ${name}, which waits.`, waits: [] };
}
