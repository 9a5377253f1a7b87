import { chooseAction } from "../shell/choose-action.ts";
import { command } from "../shell/command.ts";
import { allCommands } from "../shell/find-command.ts";
import { print, printJson } from "../terminal/output.ts";
import { bash, fish, zsh } from "./completion/scripts.ts";

const SHELLS = { bash, zsh, fish };

export const completion = command({
  name: "completion",
  positionals: ["bash|zsh|fish"],
  options: {},
  details: [
    "Completes commands, their actions and options, names of tools and MCP servers, and ids of calls, runs and what waits, which",
    "are asked for when they are needed.",
  ].join("\n"),
  examples: [
    'eval "$(toolrig completion bash)"    # in ~/.bashrc',
    'eval "$(toolrig completion zsh)"     # in ~/.zshrc, after compinit',
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
