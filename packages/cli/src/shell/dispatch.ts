import { parseArgs } from "node:util";
import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { note, print } from "../terminal/output.ts";
import {
  COMMON_OPTIONS,
  type Command,
  type CommandTable,
  type Invocation,
  type OptionTable,
} from "./command.ts";
import { didYouMean } from "./did-you-mean.ts";
import { exitCodeOf } from "./exit-code.ts";
import { allCommands, findCommand } from "./find-command.ts";
import { helpFor, overview } from "./help-text.ts";
import { packageVersion } from "./package-version.ts";

/** Runs the command that `args` names and resolves with the exit code. Never rejects. */
export async function dispatch(args: readonly string[], commands: CommandTable): Promise<number> {
  try {
    const { name, rest } = split(args);
    if (name === undefined) return await bare(rest, commands);
    const command = await findCommand(name, commands);
    const { values, positionals } = parse(command, rest);
    if (values.help === true) {
      print(helpFor(command));
      return 0;
    }
    checkPositionals(command, positionals);
    checkFlags(command, values);
    return await command.run({ values, positionals, commands });
  } catch (error) {
    return report(error, args.includes("--verbose") || args.includes("-v"));
  }
}

/** Options with a value that people put before the command, too. */
const BEFORE = { config: { type: "string", short: "c" }, store: { type: "string", short: "s" } } as const;

/** The first argument that is not an option is the command, so that options may stand before it. */
function split(args: readonly string[]): { name: string | undefined; rest: string[] } {
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...COMMON_OPTIONS, ...BEFORE },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const first = tokens.find((token) => token.kind === "positional");
  const rest = args.filter((_, index) => index !== first?.index);
  return { name: first?.value, rest };
}

async function bare(args: readonly string[], commands: CommandTable): Promise<number> {
  if (args.includes("--version") || args.includes("-V")) {
    print(packageVersion());
    return 0;
  }
  const other = args.find((each) => each !== "--help" && each !== "-h");
  if (other !== undefined) {
    throw new ToolrigError("OPTION_INVALID", `Expected a command; got the option ${other}. ${seeHelp()}`);
  }
  print(overview(await allCommands(commands)));
  return 0;
}

function parse(command: Command, args: string[]) {
  const options: OptionTable = { ...command.options, ...COMMON_OPTIONS };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    // In strict mode every value has the type that its option declares.
    return { values: values as Invocation["values"], positionals };
  } catch (error) {
    const problem = messageOf(error).replace(/(?:\.\s|\.?\n|\.$)[\s\S]*/, "");
    const wrong = /^Unknown option '--(.+)'/.exec(problem)?.[1];
    const hint = wrong === undefined ? "" : didYouMean(wrong, Object.keys(options), (name) => `--${name}`);
    throw new ToolrigError("OPTION_INVALID", `${problem}.${hint} ${seeHelp(command)}`);
  }
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const wanted = command.positionals;
  const missing = wanted.filter((each) => !each.startsWith("["))[given.length];
  if (missing !== undefined) {
    throw new ToolrigError("OPTION_INVALID", `${command.name} needs ${missing}. ${seeHelp(command)}`);
  }
  if (given.length <= wanted.length || wanted.at(-1)?.endsWith("...]")) return;
  const takes = wanted.length === 0 ? "no arguments" : wanted.join(" ");
  const extra = JSON.stringify(given[wanted.length]);
  throw new ToolrigError(
    "OPTION_INVALID",
    `${command.name} takes ${takes}; got ${extra} as well. Quote arguments that contain spaces. ${seeHelp(command)}`,
  );
}

function checkFlags({ options }: Command, values: Invocation["values"]): void {
  for (const [name, { check }] of Object.entries(options)) {
    const given = values[name];
    if (typeof given === "string") check?.(`--${name}`, given);
  }
}

function seeHelp(command?: Command): string {
  return `Run "toolrig help${command === undefined ? "" : ` ${command.name}`}".`;
}

function report(error: unknown, verbose: boolean): number {
  const expected = ToolrigError.isInstance(error);
  note(`toolrig: ${expected ? "" : "unexpected error: "}${messageOf(error)}`, "bad");
  if (verbose || !expected) noteStack(expected ? (error.cause ?? error) : error);
  return exitCodeOf({ thrown: error });
}

function noteStack(error: unknown): void {
  if (error instanceof Error && error.stack !== undefined) note(error.stack, "dim");
}
