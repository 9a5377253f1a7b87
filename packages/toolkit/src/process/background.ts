import { setTimeout as sleep } from "node:timers/promises";
import { type AnyTool, result, type ToolContext, tool, validation } from "@toolrig/core";
import type { MarkedOutcome } from "@toolrig/core/kit";
import { defined } from "@toolrig/core/kit";
import { escapeLine, escapeLines, plainJson } from "../files/output.ts";
import { type BackgroundProcess, BackgroundTable } from "./background-table.ts";
import type { ProcessOptions } from "./options.ts";
import { textSoFar } from "./output-text.ts";
import { checkWhole, type Processes, processesOf } from "./processes.ts";
import { howItEnded } from "./run.ts";
import { OUTPUT_FORMAT } from "./run-command.ts";

const ID = { type: "string", minLength: 1, description: "The id that process_start gave" } as const;
/** How long `process_output` may wait, in seconds, and how often it looks meanwhile. */
const MAX_WAIT = 60;
const LOOK_MS = 100;

/**
 * `process_start`, `process_output`, `process_input`, `process_stop` and `process_list`: processes that outlive a call, such as
 * servers and long builds. All end when the processes they are made of are closed.
 */
export function backgroundProcesses(given: Processes | ProcessOptions): AnyTool[] {
  const processes = processesOf(given);
  const table = new BackgroundTable(processes);
  return [
    startTool(processes, table),
    outputTool(processes, table),
    inputTool(processes, table),
    stopTool(processes, table),
    listTool(processes, table),
  ];
}

function startTool(processes: Processes, table: BackgroundTable): AnyTool {
  return tool({
    name: "process_start",
    description:
      "Start a program and leave it running, such as a server or a long build. Answers with an id for process_output, process_input and process_stop. There is no shell.",
    type: "process",
    input: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "A program on PATH, or a path to one" },
        args: {
          type: "array",
          items: { type: "string" },
          maxItems: 10_000,
          description: "The arguments of the program",
        },
        cwd: { type: "string", description: "Directory to start in, inside the root. Default: the root" },
      },
      required: ["command"],
      additionalProperties: false,
    },
    safety: { sideEffects: "external", idempotent: false, requires: ["process"] },
    labels: { sinks: ["command", "args", "cwd"] },
    available: () => processes.available(),
    async execute({ command, args = [], cwd }, context) {
      const started = await table.start({ command, args, cwd }, context);
      const { pid, isolation, cwd: folder } = started.running;
      if (context.signal.aborted) started.running.stop("cancelled", processes.settings.graceMs);
      return result({
        content: `${escapeLine(command)} runs as ${started.id}.`,
        value: { id: started.id },
        details: { pid, cwd: folder, isolation },
        effects: [{ type: "process", command, args, pid, background: true }],
      });
    },
  });
}

function outputTool({ settings }: Processes, table: BackgroundTable): AnyTool {
  return tool({
    name: "process_output",
    description:
      "Read what a background process has written since it was last read, and whether it still runs. Give `from` to read again from an earlier cursor.",
    type: "process",
    input: {
      type: "object",
      properties: {
        id: ID,
        from: {
          type: "string",
          pattern: "^\\d{1,15}\\.\\d{1,15}$",
          description: 'A cursor, "0.0" for the beginning',
        },
        wait_seconds: {
          type: "number",
          minimum: 0,
          maximum: MAX_WAIT,
          description: "How long to wait for something new. Default 0",
        },
        output: OUTPUT_FORMAT,
      },
      required: ["id"],
      additionalProperties: false,
    },
    safety: { sideEffects: "read", requires: ["process"] },
    timeout: `${MAX_WAIT + 30}s`,
    labels: settings.labels,
    // One that waits holds nobody up: what it waits for may be what another call writes, or its end.
    locks: ({ id, wait_seconds = 0 }) => (wait_seconds > 0 ? [] : [{ key: `process:${id}`, mode: "read" }]),
    async execute({ id, from, wait_seconds = 0, output = "labeled" }, context) {
      const process = table.get(id, context);
      if (from !== undefined) process.cursor = cursorOf(from);
      await somethingNew(process, wait_seconds * 1_000, context);
      return result({ ...(await readOutput(process, output)), labels: settings.labels });
    },
  });
}

function cursorOf(text: string): [number, number] {
  const [out = 0, err = 0] = text.split(".").map(Number);
  return [out, err];
}

/** Waits until the process has written something or ended. */
async function somethingNew(process: BackgroundProcess, ms: number, { signal }: ToolContext): Promise<void> {
  const until = performance.now() + ms;
  while (process.end === undefined && performance.now() < until && !signal.aborted) {
    const parts = await process.running.read(process.cursor);
    if (parts.some(({ before, after }) => before.length + after.length > 0)) return;
    await sleep(LOOK_MS);
  }
}

async function readOutput(process: BackgroundProcess, format: "labeled" | "json"): Promise<MarkedOutcome> {
  const { id, running, end } = process;
  const parts = await running.read(process.cursor);
  const [stdout, stderr] = parts.map(textSoFar) as [
    ReturnType<typeof textSoFar>,
    ReturnType<typeof textSoFar>,
  ];
  process.cursor = [stdout.next, stderr.next];
  const cursor = process.cursor.join(".");
  const status = statusOf(end);
  const dropped = parts[0].dropped + parts[1].dropped;
  const value = { id, status, stdout: stdout.text, stderr: stderr.text, dropped, cursor };
  const lines = [
    `${id}: ${status}; cursor ${cursor}${dropped > 0 ? `; ${dropped} bytes were dropped before they were read` : ""}`,
    ...(stdout.text === "" ? [] : ["[stdout]", escapeLines(stdout.text)]),
    ...(stderr.text === "" ? [] : ["[stderr]", escapeLines(stderr.text)]),
  ];
  return result({
    content: format === "json" ? plainJson(value) : lines.join("\n"),
    value,
    details: { pid: running.pid, isolation: running.isolation, end },
  });
}

function statusOf(end: BackgroundProcess["end"]): string {
  if (end === undefined) return "running";
  return typeof end === "string" ? `lost: ${end}` : howItEnded(end);
}

function inputTool({ settings }: Processes, table: BackgroundTable): AnyTool {
  return tool({
    name: "process_input",
    description: "Write to the standard input of a background process. A line ends with a newline.",
    type: "process",
    input: {
      type: "object",
      properties: {
        id: ID,
        text: { type: "string", maxLength: 1_000_000, description: "Text to write to its standard input" },
        end: { type: "boolean", description: "Close its input after this. Default false" },
      },
      required: ["id", "text"],
      additionalProperties: false,
    },
    safety: { sideEffects: "external", idempotent: false, requires: ["process"] },
    // The answer may tell how the process ended, and an exit code is data of the process.
    labels: { ...settings.labels, sinks: ["id", "text"] },
    locks: ({ id }) => [`process:${id}`],
    async execute({ id, text, end = false }, context) {
      const { running, end: ended } = table.get(id, context);
      checkWhole("text", text);
      if (ended !== undefined) return validation(`${id} does not run any more: ${statusOf(ended)}.`);
      const problem = await running.input(text, end);
      if (problem !== undefined) return validation(`${id} took no input: ${problem}.`);
      return `${Buffer.byteLength(text)} bytes written to ${id}.`;
    },
  });
}

function stopTool({ settings }: Processes, table: BackgroundTable): AnyTool {
  return tool({
    name: "process_stop",
    description: "End a background process and everything that it started.",
    type: "process",
    input: { type: "object", properties: { id: ID }, required: ["id"], additionalProperties: false },
    safety: { sideEffects: "external", idempotent: true, requires: ["process"] },
    timeout: settings.graceMs + 30_000,
    labels: { ...settings.labels, sinks: ["id"] },
    locks: ({ id }) => [`process:${id}`],
    async execute({ id }, context) {
      const process = table.get(id, context);
      const { running, command } = process;
      if (process.end === undefined) running.stop("stopped", settings.graceMs);
      const end = await running.ended.catch((error: Error) => error.message);
      const { command: name, args } = command;
      const exitCode = typeof end === "string" ? undefined : end.exitCode;
      return result({
        content: `${id}: ${statusOf(end)}`,
        value: { id, status: statusOf(end) },
        effects: [
          {
            type: "process",
            command: name,
            args,
            pid: running.pid,
            ...defined({ exitCode }),
          },
        ],
      });
    },
  });
}

function listTool({ settings }: Processes, table: BackgroundTable): AnyTool {
  return tool({
    name: "process_list",
    description: "List the background processes that were started, and whether they still run.",
    type: "process",
    input: { type: "object", properties: { output: OUTPUT_FORMAT }, additionalProperties: false },
    safety: { sideEffects: "read", requires: ["process"] },
    // Arguments may hold what another run has read.
    labels: settings.labels,
    execute({ output = "labeled" }, context) {
      const list = table.of(context).map(({ id, command, running, startedAt, runId, end }) => ({
        id,
        command: command.command,
        args: command.args,
        cwd: running.cwd,
        status: statusOf(end),
        startedAt: new Date(startedAt).toISOString(),
        ...defined({ runId }),
      }));
      const lines = list.map(
        ({ id, command, args, status }) => `${id}: ${escapeLine([command, ...args].join(" "))} (${status})`,
      );
      const text = lines.length === 0 ? "No process was started." : lines.join("\n");
      return result({
        content: output === "json" ? plainJson(list) : text,
        value: list,
        labels: settings.labels,
      });
    },
  });
}
