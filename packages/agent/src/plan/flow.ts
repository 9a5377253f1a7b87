import type { DataLabels, InformationFlow } from "@toolrig/core";
import { type JournalEntry, toPlain } from "@toolrig/core/kit";
import type { UserMessage } from "../model/message.ts";
import { labelsByFlow } from "../run/labels-read.ts";
import type { Job } from "./job.ts";
import type { PlanRun } from "./plan-run.ts";
import { fillText, placeholdersIn, type Scope } from "./reference.ts";

/** Stands where something was filled in: what is written next to it was not said as a whole. */
const FILLED_IN = "_";

/**
 * A text of a plan as it is said to a model. What a step gave, or what a map goes over, was filled in by whoever wrote that:
 * only the plan's own words and its input are the user's.
 */
export function spoken({ isDelegated }: PlanRun, text: string, { scope }: Job): string | UserMessage {
  const content = fillText(text, scope);
  if (isDelegated) return { role: "user", content, said: "" };
  if (placeholdersIn(text).every(({ $from }) => $from === "input")) return content;
  const own: Scope = { get: (name) => (name === "input" ? scope.get(name) : FILLED_IN) };
  return { role: "user", content, said: fillText(withoutPaths(text), own) };
}

/** Places within what was filled in are not looked for. */
function withoutPaths(text: string): string {
  return text.replace(/\{\{\s*(?!input[\s/}])([A-Za-z_][A-Za-z0-9_-]*)(?:\/[^{}\s]*)?\s*\}\}/g, "{{$1}}");
}

/** What is known of a step's output: what its tool's result says, or what the plan has read by then. */
export function stepLabels(
  flow: InformationFlow | undefined,
  runId: string,
  given: DataLabels | undefined,
): { labels: DataLabels } | undefined {
  if (flow === undefined) return given === undefined ? undefined : { labels: given };
  if (given !== undefined) return { labels: given };
  return { labels: { source: "the plan", ...labelsByFlow(flow, runId) } };
}

/** Takes up what an earlier life of a plan has read. An output that nobody has labelled came from who knows where. */
export function remindOfSteps(flow: InformationFlow, runId: string, entries: readonly JournalEntry[]): void {
  for (const entry of entries) {
    if (entry.type === "result") flow.recall(runId, entry.result);
    if (entry.type !== "step") continue;
    const { name, output, labels } = entry;
    if (labels === undefined) flow.outsiderSaid(runId, `an earlier output of ${name}`);
    else
      flow.recall(runId, { name, labels, isError: false, content: [{ type: "text", text: asText(output) }] });
  }
}

/** Data of a plan as the text in which values are looked for. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(toPlain(value)) ?? "");
}
