import { parseArgs } from "node:util";
import { COMMON_OPTIONS, type CommandTable } from "./command.ts";
import { overview } from "./help-text.ts";
import { packageVersion } from "./package-version.ts";

/** Options with a value that people put before the command, too. */
const BEFORE = { config: { type: "string", short: "c" }, store: { type: "string", short: "s" } } as const;

/** A command line in two: the first argument that is not an option is the command, so that options may stand before it. */
export function splitArguments(args: readonly string[]): { name: string | undefined; rest: string[] } {
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

/** The answer to a command line without a command: the version, the overview, or an option that only commands have. */
export function answerBare(
  options: readonly string[],
  commands: CommandTable,
): { readonly text: string } | { readonly unexpected: string } {
  if (options.includes("--version") || options.includes("-V")) return { text: packageVersion() };
  const unexpected = options.find((each) => each !== "--help" && each !== "-h");
  return unexpected === undefined ? { text: overview(commands) } : { unexpected };
}
