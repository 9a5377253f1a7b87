import { ToolrigError } from "@toolrig/core";
import { nearestNames } from "@toolrig/core/kit";
import type { Command, CommandTable } from "./command.ts";

/** The command of that name. Throws `OPTION_INVALID`, with the nearest name, if there is none. */
export async function findCommand(name: string, commands: CommandTable): Promise<Command> {
  if (Object.hasOwn(commands, name)) return commands[name]!();
  const names = Object.keys(commands);
  const [nearest] = nearestNames(name, names, 1);
  const hint = nearest === undefined ? `Commands: ${names.join(", ")}.` : `Did you mean "${nearest}"?`;
  throw new ToolrigError(
    "OPTION_INVALID",
    `There is no command "${name}". ${hint} Run "toolrig help" for what each does.`,
  );
}

export function allCommands(commands: CommandTable): Promise<Command[]> {
  return Promise.all(Object.values(commands).map((load) => load()));
}
