import { COMMON_OPTIONS, type Command, type OptionTable } from "./command.ts";

/** All commands, a line each. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const);
  return [
    "The tool runtime for AI agents.",
    "",
    "Usage: toolrig COMMAND [ARGUMENTS] [OPTIONS]",
    "",
    "Commands:",
    ...columns(rows),
    "",
    'Data goes to stdout, progress to stderr. "toolrig help COMMAND" tells more; "toolrig --version" the version.',
  ].join("\n");
}

export function helpFor(command: Command): string {
  const { name, summary, positionals, options, details, examples = [] } = command;
  return [
    `${summary}.`,
    "",
    `Usage: ${["toolrig", name, ...positionals].join(" ")} [OPTIONS]`,
    ...(details === undefined ? [] : ["", details]),
    "",
    "Options:",
    ...columns(optionRows({ ...options, ...COMMON_OPTIONS })),
    ...(examples.length === 0 ? [] : ["", "Examples:", ...examples.map((each) => `  ${each}`)]),
  ].join("\n");
}

function optionRows(options: OptionTable): (readonly [string, string])[] {
  return Object.entries(options).map(([name, { short, value, describe }]) => {
    const flag = `${short === undefined ? "    " : `-${short}, `}--${name}`;
    return [value === undefined ? flag : `${flag} ${value}`, describe] as const;
  });
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`);
}
