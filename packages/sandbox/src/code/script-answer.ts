import { type FailureInput, failure, result, type ToolFailure } from "@toolrig/core";
import { cutPlace, defined, formatDuration, type MarkedOutcome, waitsWithin } from "@toolrig/core/kit";
import type { Limits } from "../engine/limits.ts";
import type { CodeError, LimitName, SandboxLog } from "../engine/run.ts";
import type { SourceProblem } from "../typescript/strip.ts";
import type { Script, ScriptEnd } from "./script.ts";
import type { FailedCall } from "./script-book.ts";

/** How much of the console goes with a failure, in characters. */
const MAX_LOG_OF_FAILURE = 4_000;

/** What the model is told of a script that ended so, or that it waits. */
export function scriptAnswer(end: ScriptEnd, script: Script): MarkedOutcome | ReturnType<typeof waitsWithin> {
  switch (end.status) {
    case "waiting":
      return waitsWithin(end.waiting);
    case "returned":
      return returned(end.value, script);
    case "threw":
      return failed(script, thrown(end.error, end.failed));
    case "limit": {
      const { limit, message } = end;
      const code = limit === "queue" ? "TOOL_UNAVAILABLE" : "TOOL_BUDGET_EXCEEDED";
      return failed(script, { code, message: `${message} ${ADVICE[limit]}`, details: { limit } });
    }
    case "diverged":
      return failed(script, { code: "TOOL_OUTCOME_UNKNOWN", message: end.message });
    case "cancelled":
      return failed(script, { code: "TOOL_CANCELLED", message: "The script was cancelled." });
    case "broken":
      return failed(script, {
        kind: "fatal",
        message: `The script could not be run to its end: ${end.message}`,
      });
  }
}

/** A text that is no script. */
export function unreadable(problems: readonly SourceProblem[]): ToolFailure {
  const lines = problems.map(({ message, line, hint }) => {
    const place = line === undefined ? "" : `line ${line}: `;
    return `${place}${message}${hint === undefined ? "" : ` ${hint}`}`;
  });
  return failure({
    kind: "validation",
    message: `The script was not run:\n${lines.join("\n")}`,
    details: { problems },
  });
}

/** A text that took longer to read than its script may take in all. */
export function overWall(limits: Limits): ToolFailure {
  const message = `The run took more than ${formatDuration(limits.wall)}, and the script was not yet read. ${ADVICE.wall}`;
  return failure({ code: "TOOL_BUDGET_EXCEEDED", message, details: { limit: "wall" } });
}

function returned(value: unknown, script: Script): MarkedOutcome {
  const parts = [value === undefined ? NOTHING : typeof value === "string" ? value : JSON.stringify(value)];
  const log = logText(script.log);
  if (log !== "") parts.push(`Console:\n${log}`);
  return result({ ...about(script), value: value ?? null, content: parts.join("\n\n") });
}

const NOTHING = 'The script returned nothing. Use "return" to give a result.';

/** What a call failed with, and the script did not catch, is what the script failed with; else the script is wrong. */
function thrown({ name, message, line, column, details }: CodeError, call?: FailedCall): FailureInput {
  const place =
    line === undefined ? "" : ` at line ${line}${column === undefined ? "" : `, column ${column}`}`;
  const said = `The script failed${place}: ${call === undefined ? name : `tools.${call.tool}`}: ${message}`;
  const where = { ...defined({ line, thrown: details }) };
  if (call === undefined) return { kind: "validation", message: said, details: where };
  return { code: call.code, message: `${said} (${call.code})`, details: where };
}

function failed(script: Script, input: FailureInput): MarkedOutcome {
  const parts = [input.message];
  if (script.calls > 0)
    parts.push(`It had made ${countOf(script.calls)} before; what that changed is not undone.`);
  const log = logText(script.log);
  if (log !== "") parts.push(`Console:\n${log.slice(0, cutPlace(log, MAX_LOG_OF_FAILURE))}`);
  return result({ ...about(script), failure: { ...input, message: parts.join("\n") } });
}

function countOf(calls: number): string {
  return calls === 1 ? "1 call" : `${calls} calls`;
}

function about({ calls, labels, log }: Script) {
  return { details: { script: { calls, log } }, ...defined({ labels }) };
}

function logText(log: readonly SandboxLog[]): string {
  return log.map(({ level, text }) => (level === "log" ? text : `[${level}] ${text}`)).join("\n");
}

const ADVICE: Record<LimitName, string> = {
  memory: "Keep less at a time: work in portions, and let go of what is done.",
  time: "Compute less: leave heavy work to a tool, or split the script.",
  steps: "Compute less: leave heavy work to a tool, or split the script.",
  wall: "Make calls that do not depend on each other at once, with Promise.all, or split the script.",
  calls: "Ask for more with each call, or split the script.",
  code: "Write a shorter script: read long texts with a tool instead of writing them out.",
  args: "Give a call less at a time.",
  result: "Return a summary, or what is needed of it, not everything.",
  stack: "Use loops instead of deep recursion, and flatter values.",
  snapshot: "Keep less in variables while a call waits.",
  queue: "Try again later.",
};
