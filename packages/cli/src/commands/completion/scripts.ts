import type { Command } from "../../shell/command.ts";
import { type Choices, optionsOf, placesOf } from "./choices.ts";

/** The words of a place, as bash and zsh have them. */
const listed = (choices: Choices) => ("words" in choices ? choices.words.join(" ") : `$(${choices.from})`);
const flags = (command: Command) => Object.keys(optionsOf(command)).map((name) => `--${name}`);

export function bash(commands: readonly Command[]): string {
  return `_toolrig() {
  local word=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} words="" place=0 each
  for each in "\${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    [ "\${each#-}" = "$each" ] && place=$((place + 1))
  done
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map((each) => each.name).join(" ")} --version --help"
  elif [ "\${word#-}" != "$word" ]; then
    case "$command" in
${commands.map((each) => `      ${each.name}) words="${flags(each).join(" ")}" ;;`).join("\n")}
    esac
  else
    case "$command:$place" in
${placesOf(commands)
  .map(({ command, position, choices }) => `      ${command}:${position}) words="${listed(choices)}" ;;`)
  .join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _toolrig toolrig`;
}

export function zsh(commands: readonly Command[]): string {
  const quote = (text: string) => text.replaceAll("'", "'\\''").replaceAll(":", "\\:");
  const described = (command: Command) =>
    Object.entries(optionsOf(command)).map(([name, { describe }]) => `'--${name}:${quote(describe)}'`);
  return `#compdef toolrig
_toolrig() {
  local -a commands options
  local place=0 each
  commands=(
${commands.map((each) => `    '${each.name}:${quote(each.summary)}'`).join("\n")}
  )
  for each in "\${(@)words[3,CURRENT-1]}"; do
    [[ $each == -* ]] || (( place += 1 ))
  done
  if (( CURRENT == 2 )); then
    _describe command commands
  elif [[ $words[CURRENT] == -* ]]; then
    case $words[2] in
${commands.map((each) => `      ${each.name}) options=(${described(each).join(" ")}) ;;`).join("\n")}
    esac
    _describe option options
  else
    case $words[2]:$place in
${placesOf(commands)
  .map(({ command, position, choices }) => {
    const found = "words" in choices ? choices.words.join(" ") : `\${(f)"$(${choices.from})"}`;
    return `      ${command}:${position}) compadd -- ${found} ;;`;
  })
  .join("\n")}
      *) _files ;;
    esac
  fi
}
compdef _toolrig toolrig`;
}

export function fish(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const options = commands.flatMap((each) =>
    Object.entries(optionsOf(each)).map(([name, { type, short, describe }]) => {
      const flag = `-l ${name}${short === undefined ? "" : ` -s ${short}`}${type === "string" ? " -r" : ""}`;
      return `complete -c toolrig -n '__fish_seen_subcommand_from ${each.name}' ${flag} -d ${quote(describe)}`;
    }),
  );
  const places = placesOf(commands).map(({ command, position, choices }) => {
    const found = "words" in choices ? choices.words.join(" ") : `(${choices.from})`;
    return `complete -c toolrig -f -n '__toolrig_at ${command} ${position}' -a ${quote(found)}`;
  });
  return [
    `function __toolrig_at
  set -l before (commandline -opc)
  test (count $before) -ge 2; and test $before[2] = $argv[1]; or return 1
  set -l place -2
  for each in $before
    string match -q -- '-*' $each; or set place (math $place + 1)
  end
  test $place -eq $argv[2]
end`,
    ...commands.map(
      (each) => `complete -c toolrig -f -n __fish_use_subcommand -a ${each.name} -d ${quote(each.summary)}`,
    ),
    ...options,
    ...places,
  ].join("\n");
}
