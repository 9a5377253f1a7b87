import { COMMON_OPTIONS, type Command, type OptionTable } from "../../shell/command.ts";

/** What can stand at a place of a command line: words, or what a shell command prints when it is asked. */
export type Choices = { readonly words: readonly string[] } | { readonly from: string };

export function optionsOf({ options }: Command): OptionTable {
  return { ...options, ...COMMON_OPTIONS };
}

/** Names and ids are asked for when they are needed: they change while the shell runs. */
const FROM = {
  tools: "toolrig tools --offline 2>/dev/null | cut -f1",
  waiting: "toolrig waiting 2>/dev/null | cut -f1",
  calls: "toolrig log -n 20 2>/dev/null | cut -f5",
  runs: "toolrig runs -n 20 2>/dev/null | cut -f1",
  servers: "toolrig mcp list 2>/dev/null | cut -f1",
  made: "toolrig tool list 2>/dev/null | cut -f1",
} as const satisfies Record<string, string>;

/** Where the names of positional arguments say too little. */
const OWN: Readonly<Record<string, readonly (keyof typeof FROM | undefined)[]>> = {
  approvals: [undefined, "waiting"],
  waiting: [undefined, "waiting"],
  answer: ["waiting"],
  complete: ["waiting"],
  cancel: ["waiting"],
  policy: [undefined, "tools"],
  mcp: [undefined, "servers"],
  tool: [undefined, "made"],
};

/** The choices for each positional argument of a command; undefined where anything can stand, such as a file. */
function choicesOf(
  { name, positionals }: Command,
  commands: readonly Command[],
): readonly (Choices | undefined)[] {
  return positionals.map((each, index) => {
    const own = OWN[name]?.[index];
    if (own !== undefined) return { from: FROM[own] };
    const bare = each.replace(/^\[(.*)\]$/, "$1");
    if (/^[a-z-]+(\|[a-z-]+)+$/.test(bare)) return { words: bare.split("|") };
    if (bare === "COMMAND") return { words: commands.map((command) => command.name) };
    if (bare.startsWith("NAME[@")) return { from: FROM.tools };
    if (bare.includes("EXECUTION")) return { from: FROM.calls };
    return bare.includes("RUN") ? { from: FROM.runs } : undefined;
  });
}

/** Every place for which there are choices, of all commands. */
export function placesOf(
  commands: readonly Command[],
): readonly { command: string; position: number; choices: Choices }[] {
  return commands.flatMap((command) =>
    choicesOf(command, commands).flatMap((choices, position) =>
      choices === undefined ? [] : [{ command: command.name, position, choices }],
    ),
  );
}
