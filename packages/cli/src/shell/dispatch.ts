import { parseArgs } from "node:util";
import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { note, print } from "../terminal/output.ts";
import { answerBare, splitArguments } from "./bare.ts";
import {
  COMMON_OPTIONS,
  type Command,
  type CommandTable,
  type Invocation,
  type OptionTable,
} from "./command.ts";
import { didYouMean } from "./did-you-mean.ts";
import { exitCodeOf } from "./exit-code.ts";
import { findCommand } from "./find-command.ts";
import { helpFor } from "./help-text.ts";

/** Runs the command that `args` names and resolves with the exit code. Never rejects. */
export async function dispatch(args: readonly string[], commands: CommandTable): Promise<number> {
  try {
    const { name, rest } = splitArguments(args);
    if (name === undefined) return bare(rest, commands);
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

function bare(args: readonly string[], commands: CommandTable): number {
  const answer = answerBare(args, commands);
  if ("unexpected" in answer) {
    const { unexpected } = answer;
    throw new ToolrigError(
      "OPTION_INVALID",
      `Expected a command; got the option ${unexpected}. ${seeHelp()}`,
    );
  }
  print(answer.text);
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
