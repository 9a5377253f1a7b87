import type { FlagCheck } from "./flag-checks.ts";

/** An option of a command, as it is parsed and as `help` shows it. */
interface Option {
  readonly type: "boolean" | "string";
  readonly short?: string;
  /** Whether it may be given several times: its value is then a list. */
  readonly multiple?: boolean;
  /** What stands for the value in help: "FILE". */
  readonly value?: string;
  readonly describe: string;
  /** Called with the value before the command runs, whatever else the command finds wrong. */
  readonly check?: FlagCheck;
}

export type OptionTable = Readonly<Record<string, Option>>;

/** Options that every command has. */
export const COMMON_OPTIONS = {
  json: { type: "boolean", describe: "print data as JSON" },
  verbose: { type: "boolean", short: "v", describe: "show progress also where stderr is not a terminal" },
  help: { type: "boolean", short: "h", describe: "show this help" },
} as const satisfies OptionTable;

type Values<Options extends OptionTable> = {
  readonly [Name in keyof Options]?: Options[Name]["type"] extends "boolean"
    ? boolean
    : Options[Name] extends { multiple: true }
      ? readonly string[]
      : string;
};

type Positionals<Names extends readonly string[]> = {
  readonly [Index in keyof Names]: Names[Index] extends `[${string}` ? string | undefined : string;
};

/** What a command is run with. */
export interface Invocation<
  Options extends OptionTable = OptionTable,
  Names extends readonly string[] = readonly string[],
> {
  readonly values: Values<Options & typeof COMMON_OPTIONS>;
  /** At least as many as the command requires, at most as many as it takes. */
  readonly positionals: Positionals<Names>;
  /** All commands, for those that describe them. */
  readonly commands: CommandTable;
}

/** One command, in one file of its own. Its summary is in the table. */
export interface CommandSpec<
  Options extends OptionTable = OptionTable,
  Names extends readonly string[] = readonly string[],
> {
  readonly name: string;
  /** Names of the positional arguments in order; those in brackets may be left out, one that ends in "...]" takes all that follow. */
  readonly positionals: Names;
  readonly options: Options;
  /** What the command reads and writes, and its exit codes where they are its own. */
  readonly details?: string;
  readonly examples?: readonly string[];
  /** Resolves with the exit code. Throws `ToolrigError` for wrong usage and broken configuration. */
  run(invocation: Invocation<Options, Names>): number | Promise<number>;
}

/** A command that has been loaded. */
export interface Command extends CommandSpec {
  /** One line for the overview. */
  readonly summary: string;
}

/** Commands by name: a line for the overview, and the command itself, loaded on demand. */
export type CommandTable = Readonly<
  Record<string, { readonly summary: string; load(): Promise<CommandSpec> }>
>;

/** Gives `run` the types of the command's options and arguments. */
export function command<const Options extends OptionTable, const Names extends readonly string[]>(
  spec: CommandSpec<Options, Names>,
): CommandSpec<Options, Names> {
  return spec;
}
