import { columnsFor } from "../terminal/columns.ts";
import { widthOf } from "../terminal/streams.ts";
import { hang, wrap } from "../terminal/wrap.ts";
import { COMMON_OPTIONS, type Command, type CommandTable, type OptionTable } from "./command.ts";

/** Longer lines are hard to read, however wide the terminal is. */
const MAX_WIDTH = 100;

/** All commands, a line each. */
export function overview(commands: CommandTable): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const);
  return [
    "The tool runtime for AI agents.",
    "",
    "Usage: toolrig COMMAND [ARGUMENTS] [OPTIONS]",
    "",
    "Commands:",
    ...columns(rows),
    "",
    ...paragraph(
      'Data goes to stdout, progress to stderr. "toolrig help COMMAND" tells more; "toolrig --version" the version.',
    ),
  ].join("\n");
}

export function helpFor(command: Command): string {
  const { name, summary, positionals, options, details = "", examples = [] } = command;
  const paragraphs = details === "" ? [] : details.split("\n\n");
  return [
    `${summary}.`,
    "",
    usage(name, positionals),
    ...paragraphs.flatMap((each) => ["", ...paragraph(each)]),
    "",
    "Options:",
    ...columns(optionRows({ ...options, ...COMMON_OPTIONS })),
    ...(examples.length === 0 ? [] : ["", "Examples:", ...examples.map((each) => `  ${each}`)]),
  ].join("\n");
}

function usage(name: string, positionals: readonly string[]): string {
  const head = `Usage: toolrig ${name} `;
  return `${head}${hang(head.length, [...positionals, "[OPTIONS]"].join(" "), width())}`;
}

function optionRows(options: OptionTable): (readonly [string, string])[] {
  return Object.entries(options).map(([name, { short, value, describe }]) => {
    const flag = `${short === undefined ? "    " : `-${short}, `}--${name}`;
    return [value === undefined ? flag : `${flag} ${value}`, describe] as const;
  });
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const layOut = columnsFor(rows, width() - 2);
  return rows.map((row) => `  ${layOut(row).replaceAll("\n", "\n  ")}`);
}

function paragraph(text: string): string[] {
  return wrap(text.replaceAll("\n", " "), width());
}

function width(): number {
  return Math.min(widthOf("stdout"), MAX_WIDTH);
}
