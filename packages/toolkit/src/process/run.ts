import { type FailureInput, result, type ToolContext } from "@toolrig/core";
import { defined, formatDuration, type MarkedOutcome } from "@toolrig/core/kit";
import { escapeLine, escapeLines, plainJson } from "../files/output.ts";
import type { End } from "./helper/messages.ts";
import { outputText } from "./output-text.ts";
import type { Command, Processes, RunningCommand } from "./processes.ts";
import type { Output } from "./spawner.ts";

export interface RunOptions {
  stdin?: string | undefined;
  timeoutMs: number;
  format: "labeled" | "json";
  /** What the command is called where its own name is an interpreter's. */
  shownAs?: string;
  /** Exit codes that are no failure. Default [0]. */
  exitCodes?: readonly number[];
  /** Whether a command that succeeds answers with its output alone. */
  quiet?: boolean;
}

/** What a command came to, for programs. */
export interface CommandValue {
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
  signal?: string;
  /** Why it was ended, if it was: "deadline" or "processes" (it became too many). */
  stopped?: string;
}

/**
 * Runs a command to its end, and answers with its output. A command that fails is a failed call whose content is what the
 * command wrote. When the call is cancelled, the command is ended.
 */
export async function run(
  processes: Processes,
  command: Command,
  options: RunOptions,
  context: ToolContext,
): Promise<MarkedOutcome> {
  const { graceMs, maxOutput, labels } = processes.settings;
  const half = Math.floor(maxOutput / 2);
  const running = await processes.start(command, {
    keep: { head: half, tail: half },
    stdin: options.stdin === undefined ? "none" : { text: options.stdin },
    timeoutMs: options.timeoutMs,
    hold: true,
    onOutput: (text) => context.update(text),
  });
  const cancel = () => running.stop("cancelled", graceMs);
  context.signal.addEventListener("abort", cancel, { once: true });
  if (context.signal.aborted) cancel();
  try {
    const end = await running.ended;
    const output = await running.read([0, 0]);
    // Said with each answer, too, so that what is kept of it elsewhere keeps it.
    return result({ ...outcomeOf(command, options, running, end, output), labels });
  } finally {
    context.signal.removeEventListener("abort", cancel);
    running.forget();
  }
}

function outcomeOf(
  { command, args }: Command,
  { format, timeoutMs, shownAs = command, exitCodes = [0], quiet = false }: RunOptions,
  { pid, cwd, isolation }: RunningCommand,
  end: End,
  output: Output,
): MarkedOutcome {
  const { exitCode, signal, stopped, durationMs, swept, survivors } = end;
  const value: CommandValue = {
    exitCode,
    stdout: outputText(output[0]),
    stderr: outputText(output[1]),
    ...defined({ signal, stopped }),
  };
  const failed = exitCode === undefined || !exitCodes.includes(exitCode) || stopped !== undefined;
  const status = quiet && !failed ? "" : `${escapeLine(shownAs)}: ${howItEnded(end, timeoutMs)}`;
  const text = format === "json" ? plainJson(value) : labeled(value);
  return result({
    content: [status, text].filter((part) => part !== "").map((part) => ({ type: "text", text: part })),
    value,
    ...(stopped === "deadline" ? { failure: pastLimit(status, timeoutMs) } : { isError: failed }),
    effects: [
      {
        type: "process",
        command,
        args,
        pid,
        ...defined({ exitCode, signal }),
      },
    ],
    details: {
      pid,
      cwd,
      durationMs: Math.round(durationMs),
      isolation,
      dropped: { stdout: output[0].dropped, stderr: output[1].dropped },
      ...(swept > 0 && { swept }),
      ...(survivors > 0 && { survivors }),
    },
  });
}

function pastLimit(status: string, timeoutMs: number): FailureInput {
  return {
    code: "TOOL_TIMEOUT",
    message: `${status}. What it did until then stays done; verify before you try again.`,
    details: { limit: "absolute", timeoutMs },
  };
}

export function howItEnded({ exitCode, signal, stopped, survivors }: End, timeoutMs?: number): string {
  const how = signal === undefined ? `exit code ${exitCode}` : `ended by ${signal}`;
  const left = survivors > 0 ? `; ${survivors} of its processes could not be ended` : "";
  switch (stopped) {
    case "deadline":
      return `ended after ${formatDuration(timeoutMs ?? 0)}, its limit (${how})${left}`;
    case "processes":
      return `ended because it started too many processes (${how})${left}`;
    case "stopped":
    case "cancelled":
      return `stopped (${how})${left}`;
    default:
      return how + left;
  }
}

/** Standard output; standard error below, where there is some. What could move the cursor or hide is spelt out. */
function labeled(value: CommandValue): string {
  const [stdout, stderr] = [escapeLines(value.stdout), escapeLines(value.stderr)];
  if (stderr === "") return stdout;
  return `${stdout === "" ? "" : `[stdout]\n${stdout}\n`}[stderr]\n${stderr}`;
}
