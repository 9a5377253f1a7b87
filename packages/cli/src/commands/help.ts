import { command } from "../shell/command.ts";
import { allCommands, findCommand } from "../shell/find-command.ts";
import { helpFor, overview } from "../shell/help-text.ts";
import { print, printJson } from "../terminal/output.ts";

export const help = command({
  name: "help",
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
    if (values.json === true) printJson(await allCommands(commands));
    else print(overview(commands));
    return 0;
  },
});
