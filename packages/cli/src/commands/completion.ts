import { chooseAction } from "../shell/choose-action.ts";
import { COMMON_OPTIONS, type Command, command, type OptionTable } from "../shell/command.ts";
import { allCommands } from "../shell/find-command.ts";
import { print, printJson } from "../terminal/output.ts";

const SHELLS = { bash, zsh, fish };

export const completion = command({
  name: "completion",
  summary: "Print a completion script for a shell",
  positionals: ["bash|zsh|fish"],
  options: {},
  examples: [
    'eval "$(toolrig completion bash)"    # in ~/.bashrc',
    'eval "$(toolrig completion zsh)"     # in ~/.zshrc',
    "toolrig completion fish | source     # in ~/.config/fish/config.fish",
  ],

  async run({ values, positionals: [shell], commands }) {
    const scriptOf = chooseAction("completion", shell, SHELLS);
    const script = scriptOf(await allCommands(commands));
    if (values.json === true) printJson({ shell, script });
    else print(script);
    return 0;
  },
});

function optionsOf({ options }: Command): OptionTable {
  return { ...options, ...COMMON_OPTIONS };
}

/** The actions that a command has and its options. */
function words(each: Command): string {
  const [first = ""] = each.positionals;
  const actions = /^[a-z]+(\|[a-z]+)+$/.test(first) ? first.split("|") : [];
  return [...actions, ...Object.keys(optionsOf(each)).map((name) => `--${name}`)].join(" ");
}

/** Tool names are asked for when they are needed: the config may have changed since the shell started. */
const TOOL_NAMES = "toolrig tools --offline 2>/dev/null | cut -f1";

function bash(commands: readonly Command[]): string {
  return `_toolrig() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map((each) => each.name).join(" ")} --version --help"
  elif [ "$COMP_CWORD" -eq 2 ] && [ "\${COMP_WORDS[1]}" = call ] && [ "\${word#-}" = "$word" ]; then
    words=$(${TOOL_NAMES})
  else
    case "\${COMP_WORDS[1]}" in
${commands.map((each) => `      ${each.name}) words="${words(each)}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _toolrig toolrig`;
}

function zsh(commands: readonly Command[]): string {
  const quote = (text: string) => text.replaceAll("'", "'\\''").replaceAll(":", "\\:");
  return `#compdef toolrig
_toolrig() {
  local -a commands
  commands=(
${commands.map((each) => `    '${each.name}:${quote(each.summary)}'`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
  elif (( CURRENT == 3 )) && [[ $words[2] == call ]]; then
    compadd -- \${(f)"$(${TOOL_NAMES})"}
  else
    case $words[2] in
${commands.map((each) => `      ${each.name}) compadd -- ${words(each)} ;;`).join("\n")}
    esac
    _files
  fi
}
compdef _toolrig toolrig`;
}

function fish(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap((each) => [
    `complete -c toolrig -f -n __fish_use_subcommand -a ${each.name} -d ${quote(each.summary)}`,
    ...Object.entries(optionsOf(each)).map(([name, option]) => {
      const takes = option.type === "string" ? " -r" : "";
      return `complete -c toolrig -n '__fish_seen_subcommand_from ${each.name}' -l ${name}${takes} -d ${quote(option.describe)}`;
    }),
  ]);
  return [...lines, `complete -c toolrig -f -n '__fish_seen_subcommand_from call' -a '(${TOOL_NAMES})'`].join(
    "\n",
  );
}
