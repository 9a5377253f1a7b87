import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, type CallOptions, Executor, type ToolResult, textOf } from "@toolrig/core";
import {
  backgroundProcesses,
  bash,
  type CommandValue,
  type Isolation,
  Processes,
  type ProcessOptions,
  runCommand,
} from "@toolrig/toolkit";
import { HANG_MS } from "../../scripts/hang-limit.ts";

export interface Answer extends ToolResult {
  text: string;
  command: CommandValue;
}

/** What a parent process knows and no command may learn. */
export const SECRET = "s3cret-of-the-parent";

/** A root with commands in it, something outside that they must not touch, and a look at what runs. */
export class Stage {
  readonly folder: string;
  readonly root: string;
  readonly outside: string;
  readonly processes: Processes;
  readonly isolation: Isolation;
  #calls = 0;
  #tokens = 0;
  readonly #executor: Executor;

  private constructor(folder: string, processes: Processes, isolation: Isolation) {
    this.folder = folder;
    this.root = join(folder, "root");
    this.outside = join(folder, "outside");
    this.processes = processes;
    this.isolation = isolation;
    this.#executor = new Executor({
      tools: [runCommand(processes), bash(processes), ...backgroundProcesses(processes)],
    });
  }

  static async open(options: Partial<ProcessOptions>): Promise<Stage> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolrig-escape-")));
    for (const name of ["root", "outside", "root/inner"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "outside", "secret"), SECRET);
    symlinkSync(join(folder, "outside"), join(folder, "root", "link"));
    const limits = { processes: 100, fileSize: 1_000_000, cpuSeconds: 2, openFiles: 64 };
    const processes = new Processes({
      root: join(folder, "root"),
      grace: "300ms",
      maxOutput: 100_000,
      limits,
      ...options,
    });
    return new Stage(folder, processes, await processes.isolation());
  }

  call(name: string, args: unknown, options: CallOptions = {}): Promise<Answer> {
    return answer(this.#executor, name, args, options, ++this.#calls);
  }

  /** Calls a tool of its own. */
  with(tool: AnyTool, args: unknown): Promise<Answer> {
    return answer(new Executor({ tools: [tool] }), tool.name, args, {}, ++this.#calls);
  }

  bash(script: string, seconds = 600): Promise<Answer> {
    return this.call("bash", { script, timeout_seconds: seconds });
  }

  /** An argument of `sleep` by which its process can be found. */
  token(): string {
    return `${7_000 + process.pid}.${Date.now()}${++this.#tokens}`;
  }

  async close(): Promise<void> {
    await this.processes.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function answer(
  executor: Executor,
  name: string,
  args: unknown,
  options: CallOptions,
  number: number,
): Promise<Answer> {
  const result = await executor.call({ id: `attempt_${number}`, name, arguments: args }, options);
  return { ...result, text: textOf(result.content), command: result.value as CommandValue };
}

/** The processes that have this as an argument. A shell that has it within its script does not count. */
export function withArgument(argument: string): number[] {
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return names.map(Number).filter((pid) => argumentsOf(pid).includes(argument));
}

export function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** Waits until something holds; false if it never does. */
export async function comesToHold(holds: () => boolean): Promise<boolean> {
  const end = Date.now() + HANG_MS;
  while (!holds()) {
    if (Date.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
