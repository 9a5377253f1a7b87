import { type FailureCode, type FailureInput, result } from "@toolrig/core";
import { cutPlace, defined, type MarkedOutcome, waitsWithin } from "@toolrig/core/kit";
import type { NestedRun } from "../calls/nested-run.ts";
import type { FinishReason } from "../model/engine.ts";
import { mayPass } from "../model/faults.ts";
import type { RunError } from "../run/outcome.ts";
import type { RunReport } from "./run.ts";

/** How much of what a run said last the model is told with its failure, in characters. */
const MAX_LAST_WORDS = 2_000;

/** Half an answer is none: whoever asked would act on it. */
const CUT_OFF: ReadonlySet<FinishReason> = new Set<FinishReason>(["length", "content-filter", "error"]);

/** The result of a call whose run came to this. What the run has read comes with its words, also with its last ones. */
export function toolAnswer(report: RunReport): MarkedOutcome | ReturnType<typeof waitsWithin> {
  const { outcome, labels } = report;
  const known = { details: { run: about(report) }, ...defined({ labels }) };
  const failed = (failure: FailureInput) => result({ ...known, failure });
  switch (outcome.status) {
    case "answered": {
      if (!CUT_OFF.has(outcome.finishReason)) return result({ ...known, value: outcome.text });
      const message = `The answer of the run was cut off ("${outcome.finishReason}").`;
      return failed({ kind: "fatal", message: withLastWords(message, outcome.text) });
    }
    case "terminated":
      return result({ ...known, value: outcome.text });
    case "stopped":
      return result({ ...known, value: outcome.text || `The run was stopped: ${outcome.reason}` });
    case "waiting": {
      const [first] = outcome.waits;
      if (first !== undefined) return waitsWithin(first.waiting);
      return failed({ code: "TOOL_UNAVAILABLE", message: "The run was left while it waited." });
    }
    case "aborted":
    case "failed": {
      const { error, text } = outcome;
      return failed({ code: codeOf(error), message: withLastWords(error.message, text) });
    }
  }
}

function about({ outcome, spent }: RunReport): NestedRun {
  const { runId, status, turns, calls, usage } = outcome;
  const run: NestedRun = { runId, status, turns, calls, usage: { ...usage }, spent: { ...spent } };
  return outcome.status === "stopped" ? { ...run, reason: outcome.reason } : run;
}

function withLastWords(message: string, text: string): string {
  if (text === "") return message;
  const words = text.length > MAX_LAST_WORDS ? `${text.slice(0, cutPlace(text, MAX_LAST_WORDS))} …` : text;
  return `${message}\nThe last it said: ${words}`;
}

function codeOf({ code, fault }: RunError): FailureCode {
  switch (code) {
    case "ORCHESTRATION_ITERATION_LIMIT":
    case "ORCHESTRATION_BUDGET_EXCEEDED":
      return "TOOL_BUDGET_EXCEEDED";
    case "CANCELLED_SIGNAL":
      return "TOOL_CANCELLED";
    case "CANCELLED_TIMEOUT":
      return "TOOL_TIMEOUT";
    case "STORE_FAILED":
      return "TOOL_UNAVAILABLE";
    case "ENGINE_FAILED":
      return fault !== undefined && mayPass(fault) ? "TOOL_TRANSIENT" : "TOOL_EXECUTION_FAILED";
    default:
      return "TOOL_EXECUTION_FAILED";
  }
}
