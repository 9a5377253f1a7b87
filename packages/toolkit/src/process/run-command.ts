import { type AnyTool, tool } from "@toolrig/core";
import { defined, formatDuration } from "@toolrig/core/kit";
import { limitOf, type ProcessOptions, type ProcessSettings } from "./options.ts";
import { type Processes, processesOf } from "./processes.ts";
import { run } from "./run.ts";

/** Beyond the command's own limit: it answers with what it has, and the call's deadline with nothing. */
const SLACK_MS = 30_000;

export const OUTPUT_FORMAT = {
  type: "string",
  enum: ["labeled", "json"],
  description: '"labeled" (default) is text to read, "json" an object',
} as const;

export function deadlineOf({ maxTimeoutMs, graceMs }: ProcessSettings): number {
  return Math.min(maxTimeoutMs + graceMs + SLACK_MS, 2_147_483_647);
}

function secondsOf(given: number | undefined): number | undefined {
  return given === undefined ? undefined : given * 1_000;
}

/** The parameter by which a call chooses its limit. */
function timeoutParameter({ timeoutMs, maxTimeoutMs }: ProcessSettings) {
  return {
    type: "number",
    exclusiveMinimum: 0,
    maximum: maxTimeoutMs / 1_000,
    description: `Seconds until it is ended. Default ${timeoutMs / 1_000}, at most ${maxTimeoutMs / 1_000}.`,
  } as const;
}

/**
 * `run_command`: a program with its arguments, without a shell: nothing in them is expanded, piped or redirected.
 */
export function runCommand(given: Processes | ProcessOptions): AnyTool {
  const processes = processesOf(given);
  const { settings } = processes;
  return tool({
    name: "run_command",
    description: `Run a program and wait for it. There is no shell: arguments are passed as they are, without pipes, globs or variables. It is ended after ${formatDuration(settings.timeoutMs)} unless timeout_seconds says otherwise; use process_start, if you have it, for what keeps running.`,
    type: "process",
    input: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "A program on PATH, or a path to one" },
        args: {
          type: "array",
          items: { type: "string" },
          maxItems: 10_000,
          description: "One element an argument",
        },
        cwd: { type: "string", description: "Directory to start in, inside the root. Default: the root" },
        stdin: {
          type: "string",
          maxLength: 10_000_000,
          description: "Text for its standard input. Default: nothing",
        },
        timeout_seconds: timeoutParameter(settings),
        output: OUTPUT_FORMAT,
      },
      required: ["command"],
      additionalProperties: false,
    },
    safety: { sideEffects: "external", idempotent: false, requires: ["process"] },
    timeout: deadlineOf(settings),
    ...defined({ background: settings.background }),
    labels: { ...settings.labels, sinks: ["command", "args", "cwd", "stdin"] },
    available: () => processes.available(),
    execute: ({ command, args = [], cwd, stdin, timeout_seconds, output = "labeled" }, context) =>
      run(
        processes,
        { command, args, cwd },
        {
          stdin,
          timeoutMs: limitOf(settings, secondsOf(timeout_seconds), context),
          format: output,
        },
        context,
      ),
  });
}

/**
 * `bash`: a script in a shell. A model that has it can do whatever a command line can; it is never part of a toolkit unless it
 * is asked for.
 */
export function bash(given: Processes | ProcessOptions): AnyTool {
  const processes = processesOf(given);
  const { settings } = processes;
  return tool({
    name: "bash",
    description: `Run a script in bash and wait for it. Each call is a new shell: variables and directories do not carry over. It is ended after ${formatDuration(settings.timeoutMs)} unless timeout_seconds says otherwise.`,
    type: "process",
    input: {
      type: "object",
      properties: {
        script: { type: "string", minLength: 1, description: "What bash runs" },
        cwd: { type: "string", description: "Directory to start in, inside the root. Default: the root" },
        timeout_seconds: timeoutParameter(settings),
        output: OUTPUT_FORMAT,
      },
      required: ["script"],
      additionalProperties: false,
    },
    safety: { sideEffects: "external", idempotent: false, requires: ["process"] },
    timeout: deadlineOf(settings),
    ...defined({ background: settings.background }),
    labels: { ...settings.labels, sinks: ["script", "cwd"] },
    available: () => processes.available(),
    execute: ({ script, cwd, timeout_seconds, output = "labeled" }, context) =>
      run(
        processes,
        { command: "bash", args: ["--noprofile", "--norc", "-c", script], cwd },
        {
          timeoutMs: limitOf(settings, secondsOf(timeout_seconds), context),
          format: output,
          shownAs: "bash",
        },
        context,
      ),
  });
}
