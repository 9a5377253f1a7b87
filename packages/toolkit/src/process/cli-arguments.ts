import { validation } from "@toolrig/core";
import { check } from "@toolrig/core/kit";

/** Data has no such key: what a model sends cannot pass for an option. The same in every copy of this package. */
const OPTION: unique symbol = Symbol.for("toolrig.cli-option") as never;

/** An option that the author of a tool wrote, as opposed to a value that a model chose: only `option()` makes one. */
export interface CliOption {
  readonly [OPTION]: true;
  readonly option: string;
  readonly value: string | undefined;
}

/** An argument of a program: the author's option, or a value, which may come from a model. */
export type CliArgument = CliOption | string | number;

/**
 * An option of a program, written by the author of a tool. With a value it becomes `--name=value`, or `-n value` for one of a
 * single letter. `option("--")` ends the options: values behind it may begin with a dash.
 */
export function option(name: string, value?: string | number): CliOption {
  if (typeof name !== "string" || !name.startsWith("-"))
    throw check.invalid("option", 'the name of an option, such as "--all" or "-n"', name);
  const text = value === undefined ? undefined : String(value);
  return Object.freeze({ [OPTION]: true, option: name, value: text } as const);
}

/**
 * The arguments as the program gets them. A value that begins with a dash is refused: the program would take it for an option,
 * and not every program knows `--`. The author of the tool knows whether this one does.
 */
export function cliArguments(given: readonly CliArgument[]): string[] {
  let ended = false;
  return given.flatMap((each, index) => {
    if (isOption(each)) {
      if (each.option === "--") ended = true;
      return optionArguments(each);
    }
    if (typeof each !== "string" && typeof each !== "number") throw noArgument(index, each);
    const value = String(each);
    if (!ended && value.startsWith("-")) throw dashed(value);
    return [value];
  });
}

function isOption(value: unknown): value is CliOption {
  return typeof value === "object" && value !== null && OPTION in value;
}

function optionArguments({ option: name, value }: CliOption): string[] {
  if (value === undefined) return [name];
  if (name.startsWith("--")) return [`${name}=${value}`];
  if (value.startsWith("-")) throw dashed(value);
  return [name, value];
}

function noArgument(index: number, given: unknown) {
  const { message } = check.invalid(`args[${index}]`, "a string, a number or option(...)", given);
  return validation(message);
}

function dashed(value: string) {
  return validation(
    `"${value.slice(0, 60)}" begins with "-": the program would take it for an option. Give a value that does not, such as "./${value.slice(0, 20)}" for a file.`,
    { note: "An option that the author of the tool wrote is option(...)." },
  );
}
