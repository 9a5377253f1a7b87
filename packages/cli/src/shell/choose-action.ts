import { ToolrigError } from "@toolrig/core";
import { didYouMean } from "./did-you-mean.ts";

/**
 * What the first argument of a command with several actions names. Throws `OPTION_INVALID` with the nearest, or with the one
 * that `also` has for another word.
 */
export function chooseAction<Actions extends object>(
  command: string,
  name: string,
  actions: Actions,
  also: Readonly<Record<string, keyof Actions & string>> = {},
): Actions[keyof Actions] {
  if (Object.hasOwn(actions, name)) return actions[name as keyof Actions];
  const names = Object.keys(actions);
  const meant = Object.hasOwn(also, name) ? ` Did you mean "${also[name]}"?` : didYouMean(name, names);
  throw new ToolrigError("OPTION_INVALID", `${command} takes ${names.join(", ")}; got "${name}".${meant}`);
}

/** An argument that the chosen action cannot do without. */
export function needed(value: string | undefined, command: string, what: string): string {
  if (value !== undefined) return value;
  throw new ToolrigError("OPTION_INVALID", `${command} needs ${what}.`);
}
