import { statSync } from "node:fs";
import { type InferInput, type Tool, type ToolSpec, tool } from "@toolrig/core";
import { check } from "@toolrig/core/kit";
import { type CliArgument, cliArguments } from "./cli-arguments.ts";
import { findExecutable } from "./executable.ts";
import { limitOf, type ProcessOptions } from "./options.ts";
import { type Processes, processesOf } from "./processes.ts";
import { type CommandValue, run } from "./run.ts";
import { deadlineOf } from "./run-command.ts";

export { option } from "./cli-arguments.ts";

type Arguments<Schema> = InferInput<Schema>;

/** A program as a tool: everything of `tool()` but the code, and how the program is called. */
export interface CliToolSpec<Schema>
  extends Omit<ToolSpec<Schema, CommandValue>, "execute" | "output" | "type" | "idleTimeout"> {
  /** A name on PATH or an absolute path. Found once, when the tool is made. */
  command: string;
  /** The arguments, one element each. Options of the author's are `option("--all")`; whatever else begins with "-" is refused. */
  args(args: Arguments<Schema>): readonly CliArgument[];
  /** Text for its standard input. Default: nothing. */
  stdin?(args: Arguments<Schema>): string;
  /** Where it starts, inside the root. Default: the root. */
  cwd?(args: Arguments<Schema>): string;
  /** Exit codes that are no failure. Default [0]. */
  exitCodes?: readonly number[];
  /** How it is run. Default: in the current directory. */
  processes?: Processes | ProcessOptions;
}

/**
 * A program on this machine as a tool, run like `run_command`: no shell, no secrets in its environment, limits, a sandbox where
 * there is one.
 *
 * @example
 * ```ts
 * import { Executor } from "@toolrig/core";
 * import { cliTool, option } from "@toolrig/toolkit";
 *
 * const countWords = cliTool({
 *   name: "count_words",
 *   description: "Count the words of a text",
 *   input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
 *   command: "wc",
 *   args: () => [option("-w")],
 *   stdin: ({ text }) => text,
 *   safety: { sideEffects: "none" },
 * });
 * const call = { id: "call_1", name: "count_words", arguments: { text: "one two three" } };
 * const { value } = await new Executor({ tools: [countWords] }).call(call);
 * console.log((value as { stdout: string }).stdout.trim()); //=> 3
 * ```
 */
export function cliTool<const Schema>(spec: CliToolSpec<Schema>): Tool<Arguments<Schema>, CommandValue> {
  check.object("The definition of a CLI tool", spec);
  const { command, args, stdin, cwd, exitCodes = [0], processes: given = { root: "." }, ...rest } = spec;
  check.string("command", command);
  check.function("args", args);
  if (stdin !== undefined) check.function("stdin", stdin);
  if (cwd !== undefined) check.function("cwd", cwd);
  check.list("exitCodes", exitCodes, "a list of numbers");
  const processes = processesOf(given);
  const { settings } = processes;
  const binary = new Binary(command);
  const declaredMs = check.timeout("timeout", spec.timeout);
  // A program that declares its limit may have a longer one than commands may ask for.
  const bounds = { ...settings, maxTimeoutMs: declaredMs ?? settings.maxTimeoutMs };
  return tool<Schema, CommandValue>({
    ...rest,
    type: "cli",
    timeout: deadlineOf(bounds),
    labels: { ...settings.labels, ...spec.labels },
    available() {
      const found = binary.available();
      if (found !== true) return found;
      const ready = processes.available();
      return ready === true ? (spec.available?.() ?? true) : ready;
    },
    execute: (values, context) =>
      run(
        processes,
        { command: binary.path(), args: cliArguments(args(values)), cwd: cwd?.(values) },
        {
          stdin: stdin?.(values),
          timeoutMs: limitOf(bounds, declaredMs, context),
          ...{ format: "labeled", shownAs: command, exitCodes, quiet: true },
        },
        context,
      ),
  });
}

/** A program that was found once. What is put in its place later, or before it on PATH, is not run. */
class Binary {
  readonly #command: string;
  #found: { file: string; identity: string } | undefined;

  constructor(command: string) {
    this.#command = command;
    this.#find();
  }

  available(): true | string {
    const found = this.#found ?? this.#find();
    if (found === undefined) return `${this.#command} was not found on PATH`;
    if (identityOf(found.file) === found.identity) return true;
    return `${found.file} was replaced since the tool was made`;
  }

  /** The program, which `available` was asked about. */
  path(): string {
    return this.#found?.file ?? this.#command;
  }

  #find(): { file: string; identity: string } | undefined {
    const file = findExecutable(this.#command);
    const identity = file === undefined ? undefined : identityOf(file);
    if (file !== undefined && identity !== undefined) this.#found = { file, identity };
    return this.#found;
  }
}

function identityOf(file: string): string | undefined {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [dev, ino, size, mtimeMs, ctimeMs].join(":");
  } catch {
    return undefined;
  }
}
