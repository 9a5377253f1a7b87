import { ToolrigError } from "@toolrig/core";
import type { Command, CommandTable } from "./command.ts";
import { didYouMean } from "./did-you-mean.ts";

/** The command of that name. Throws `OPTION_INVALID`, with the nearest name, if there is none. */
export async function findCommand(name: string, commands: CommandTable): Promise<Command> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry !== undefined) return loaded(entry);
  const names = Object.keys(commands);
  const hint = didYouMean(name, names) || ` Commands: ${names.join(", ")}.`;
  throw new ToolrigError(
    "OPTION_INVALID",
    `There is no command "${name}".${hint} Run "toolrig help" for what each does.`,
  );
}

export function allCommands(commands: CommandTable): Promise<Command[]> {
  return Promise.all(Object.values(commands).map(loaded));
}

async function loaded({ summary, load }: CommandTable[string]): Promise<Command> {
  const { name, ...rest } = await load();
  return { name, summary, ...rest };
}
