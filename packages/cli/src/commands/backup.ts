import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { command } from "../shell/command.ts";
import { note, printJson } from "../terminal/output.ts";

export const backup = command({
  name: "backup",
  positionals: ["FILE"],
  options: STORE_OPTIONS,
  details: [
    "The copy is one moment of the store. It has another name until it is whole, verified and on disk, replaces an older backup and",
    "nothing else, and is readable by its owner only: it holds arguments and results as they were. Commands that look, such as",
    '"toolrig audit verify --store FILE", read it without changing it. "toolrig restore" puts it back.',
  ].join("\n"),
  examples: ["toolrig backup /backups/toolrig.db", "toolrig audit verify --store /backups/toolrig.db"],

  run: ({ values, positionals: [file] }) =>
    withStore(values, async (store) => {
      const made = await store.backup(file);
      if (values.json === true) printJson(made);
      else note(`${made.path} has everything that was written before ${new Date(made.at).toISOString()}.`);
      return 0;
    }),
});
