import { command } from "../shell/command.ts";
import { allCommands, findCommand } from "../shell/find-command.ts";
import { helpFor, overview } from "../shell/help-text.ts";
import { print, printJson } from "../terminal/output.ts";

export const help = command({
  name: "help",
  summary: "Explain a command, or list all of them",
  positionals: ["[COMMAND]"],
  options: {},
  examples: ["toolrig help call", "toolrig help --json"],

  async run({ values, positionals: [name], commands }) {
    if (name !== undefined) {
      const chosen = await findCommand(name, commands);
      if (values.json === true) printJson(chosen);
      else print(helpFor(chosen));
      return 0;
    }
    const all = await allCommands(commands);
    if (values.json === true) printJson(all);
    else print(overview(all));
    return 0;
  },
});
