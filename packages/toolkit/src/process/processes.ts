import { realpathSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { unavailable, validation } from "@toolrig/core";
import { environmentOf, newId } from "@toolrig/core/kit";
import { bubblewrapArgs, isVisible, type Visible } from "./bubblewrap.ts";
import { findExecutable } from "./executable.ts";
import { MARK_VARIABLE } from "./helper/members.ts";
import type { SpawnRequest } from "./helper/messages.ts";
import { findIsolators, type Isolation, type Isolators, isolationOf } from "./isolation.ts";
import type { Keep } from "./kept-output.ts";
import { countOwnTasks, newTag, prlimitArgs } from "./limits.ts";
import { checkProcessOptions, type ProcessOptions, type ProcessSettings } from "./options.ts";
import { type SpawnOptions, type Started, spawner } from "./spawner.ts";

/** One command as a tool asks for it. */
export interface Command {
  /** A name on PATH, an absolute path, or a path from the working directory. */
  command: string;
  args: readonly string[];
  cwd?: string | undefined;
}

export interface RunningCommand extends Started {
  readonly isolation: Isolation;
}

/** How a command is started. */
export interface Way extends SpawnOptions {
  keep: Keep;
  stdin: SpawnRequest["stdin"];
  timeoutMs: number | undefined;
}

/** The system's limit of one argument, and a share of that of all together. */
const MAX_ARGUMENT = 131_071;
const MAX_ARGUMENTS = 1_000_000;
/** Where a sandbox has a scratch directory; that of this process is not there. */
const SCRATCH = { TMPDIR: "/tmp" } as const;
/** How long the number of the user's processes is taken for the same. */
const COUNT_MS = 1_000;
let counted = { at: Number.NEGATIVE_INFINITY, tasks: 0 };

/**
 * Where commands run, and all that are running: the tools of processes are made of one. Closing it ends them.
 *
 * @example
 * ```ts
 * import { Executor } from "@toolrig/core";
 * import { backgroundProcesses, Processes, runCommand } from "@toolrig/toolkit";
 *
 * await using processes = new Processes({ root: "." });
 * const executor = new Executor({ tools: [runCommand(processes), ...backgroundProcesses(processes)] });
 * const call = { id: "call_1", name: "run_command", arguments: { command: "echo", args: ["hello"] } };
 * const { value } = await executor.call(call);
 * console.log((value as { stdout: string }).stdout.trim()); //=> hello
 * ```
 */
export class Processes implements AsyncDisposable {
  readonly settings: ProcessSettings;
  readonly #where: Visible;
  readonly #running = new Set<RunningCommand>();
  #isolators: Promise<Isolators> | undefined;
  #closed = false;

  constructor(options: ProcessOptions) {
    this.settings = checkProcessOptions(options);
    const { roots, visible, protect } = this.settings;
    this.#where = { roots, visible, protect };
  }

  /** True, or why no command can run. */
  available(): true | string {
    if (this.#closed) return "the processes are closed";
    if (process.platform === "win32") return "commands run on Linux and macOS, not on Windows";
    if (this.settings.sandbox !== "required" || findExecutable("bwrap") !== undefined) return true;
    return "a sandbox is required and bubblewrap (bwrap) is not installed";
  }

  /** How well commands are kept apart on this machine, found out by trying. */
  async isolation(): Promise<Isolation> {
    return isolationOf(await this.#find(), this.settings.network);
  }

  /** The program that a command means, as an absolute path. Throws a failure if there is none. */
  async resolve({ command, cwd }: Command): Promise<string> {
    const { bwrap } = await this.#find();
    const path = environmentOf(this.settings.env, process.env).PATH ?? "";
    const wanted = command.includes("/") ? resolve(this.#folder(cwd), command) : command;
    const seen = (file: string) => bwrap === undefined || isVisible(realpathSync(file), this.#where);
    const file = findExecutable(wanted, path, seen);
    if (file !== undefined) return file;
    const hidden = findExecutable(wanted, path);
    if (hidden === undefined) throw validation(`There is no program "${shorten(command)}" here.`);
    throw validation(`${hidden} lies where commands in the sandbox cannot see it.`, {
      fix: "The owner can name its directory in `visible`.",
    });
  }

  /** Rejects with a failure that says why, if it cannot be started. */
  async start(command: Command, way: Way): Promise<RunningCommand> {
    checkArguments(command);
    if (typeof way.stdin === "object") checkWhole("stdin", way.stdin.text);
    const isolators = await this.#find();
    const file = await this.resolve(command);
    if (this.#closed) throw unavailable("The processes are closed.");
    const isolation = isolationOf(isolators, this.settings.network);
    const request = this.#request(command, file, way, isolators);
    const started = await spawner.start(request, way);
    const running: RunningCommand = { ...started, isolation };
    this.#running.add(running);
    const forget = () => void this.#running.delete(running);
    started.ended.then(forget, forget);
    if (this.#closed) running.stop("stopped", 0);
    return running;
  }

  /** Ends all that runs. Resolves when nothing does. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = [...this.#running];
    for (const each of running) each.stop("stopped", this.settings.graceMs);
    await Promise.allSettled(running.map(({ ended }) => ended));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #request(command: Command, file: string, way: Way, { bwrap, prlimit }: Isolators): SpawnRequest {
    const { roots, env, graceMs, network } = this.settings;
    const limits = { ...this.settings.limits };
    if (way.timeoutMs === undefined) limits.cpuSeconds = Number.POSITIVE_INFINITY;
    const id = newId("proc");
    const cwd = this.#folder(command.cwd);
    const tag = prlimit === undefined || bwrap !== undefined ? undefined : newTag();
    const others = bwrap === undefined ? ownTasks() : 0;
    const [program = file, ...args] = [
      ...(bwrap === undefined ? [] : [bwrap, ...bubblewrapArgs(this.#where, cwd, network)]),
      ...(prlimit === undefined ? [] : [prlimit, ...prlimitArgs(limits, tag, others), "--"]),
      file,
      ...command.args,
    ];
    const enforced = prlimit !== undefined && process.getuid?.() !== 0;
    const bounded = limits.processes !== Number.POSITIVE_INFINITY;
    return {
      id,
      file: program,
      args,
      cwd,
      roots,
      env: { ...environmentOf(env, process.env), ...(bwrap !== undefined && SCRATCH), [MARK_VARIABLE]: id },
      stdin: way.stdin,
      keep: way.keep,
      timeoutMs: way.timeoutMs,
      graceMs,
      mark: { id, tag, namespaced: bwrap !== undefined },
      // The system exempts its administrator from this limit.
      maxProcesses: enforced || !bounded ? undefined : limits.processes,
    };
  }

  #folder(cwd: string | undefined): string {
    const [root = "/"] = this.settings.roots;
    if (cwd === undefined) return root;
    checkText("cwd", cwd);
    return isAbsolute(cwd) ? resolve(cwd) : resolve(root, cwd);
  }

  async #find(): Promise<Isolators> {
    this.#isolators ??= findIsolators(this.settings.sandbox, this.#where).catch((error: unknown) => {
      this.#isolators = undefined;
      throw error;
    });
    const found = await this.#isolators;
    if (found.bwrap === undefined && this.settings.sandbox === "required")
      throw unavailable(`A sandbox is required: ${found.missing.join("; ")}.`);
    return found;
  }
}

/** Made of options, or the ones that are given, so that tools can share them. */
export function processesOf(given: Processes | ProcessOptions): Processes {
  return given instanceof Processes ? given : new Processes(given);
}

function checkText(name: string, text: string): void {
  if (text.includes("\0")) throw validation(`${name} must not contain a NUL character.`);
  checkWhole(name, text);
}

/** Half a character has no bytes: another one would be written in its place. */
export function checkWhole(name: string, text: string): void {
  if (!text.isWellFormed())
    throw validation(`${name} contains half a character (a lone surrogate); write it whole.`);
}

function checkArguments({ command, args }: Command): void {
  let bytes = 0;
  for (const [index, arg] of [command, ...args].entries()) {
    const name = index === 0 ? "command" : `args[${index - 1}]`;
    checkText(name, arg);
    const size = Buffer.byteLength(arg);
    if (size > MAX_ARGUMENT)
      throw validation(
        `${name} is ${size} bytes long; at most ${MAX_ARGUMENT} are possible. Use stdin or a file.`,
      );
    bytes += size + 1;
  }
  if (bytes > MAX_ARGUMENTS)
    throw validation(
      `The arguments are ${bytes} bytes long together; at most ${MAX_ARGUMENTS} are possible.`,
    );
}

function ownTasks(): number {
  const now = performance.now();
  if (now - counted.at > COUNT_MS) counted = { at: now, tasks: countOwnTasks() };
  return counted.tasks;
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
