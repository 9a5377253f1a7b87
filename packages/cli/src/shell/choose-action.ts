import { ToolrigError } from "@toolrig/core";
import { didYouMean } from "./did-you-mean.ts";

/** What the first argument of a command with several actions names. Throws `OPTION_INVALID` with the nearest. */
export function chooseAction<Actions extends object>(
  command: string,
  name: string,
  actions: Actions,
): Actions[keyof Actions] {
  if (Object.hasOwn(actions, name)) return actions[name as keyof Actions];
  const names = Object.keys(actions);
  throw new ToolrigError(
    "OPTION_INVALID",
    `${command} takes ${names.join(", ")}; got "${name}".${didYouMean(name, names)}`,
  );
}

/** An argument that the chosen action cannot do without. */
export function needed(value: string | undefined, command: string, what: string): string {
  if (value !== undefined) return value;
  throw new ToolrigError("OPTION_INVALID", `${command} needs ${what}.`);
}
