import { check } from "@toolrig/core/kit";
import { restoreStore, type Store } from "@toolrig/store";
import { placeOfStore, STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { needed } from "../shell/choose-action.ts";
import { command, type Invocation } from "../shell/command.ts";
import { userName } from "../shell/user-name.ts";
import { note, printJson } from "../terminal/output.ts";

const OPTIONS = {
  ...STORE_OPTIONS,
  accept: { type: "boolean", describe: "the ledger is complete again: what it does not know is new" },
  why: { type: "string", value: "TEXT", describe: "accept: what you compared it with; it is kept" },
  as: { type: "string", value: "NAME", describe: "accept: who says so (default: the user of this machine)" },
} as const;

type Values = Invocation<typeof OPTIONS>["values"];

export const restore = command({
  name: "restore",
  positionals: ["[FILE]"],
  options: OPTIONS,
  details: [
    "Stop the processes that use the store first. What is in its place is set aside with its log, whatever state it is in, and never",
    "read again. A backup takes the ledger back in time: an execution that it does not know may have been begun since, and is",
    'answered TOOL_OUTCOME_UNKNOWN instead of run, unless its tool is idempotent or can tell. "toolrig open" shows that, and lists each',
    'that was asked for; "toolrig settle" decides one, and "toolrig restore --accept --why TEXT" all others.',
  ].join("\n"),
  examples: [
    "toolrig restore /backups/toolrig.db",
    'toolrig restore --accept --why "compared with the bank\'s statement"',
  ],

  run({ values, positionals: [file] }) {
    if (values.accept === true) return accept(values, file);
    return put(values, needed(file, "restore", "FILE, the backup to restore"));
  },
});

async function put(values: Values, file: string): Promise<number> {
  const restored = restoreStore(file, await placeOfStore(values));
  if (values.json === true) printJson(restored);
  else {
    note(`${restored.path} is as it was at ${new Date(restored.from).toISOString()}.`);
    if (restored.setAside !== undefined) note(`What was in its place is ${restored.setAside}.`, "dim");
    note('Executions begun since then are unknown to it. See "toolrig open" before you resume runs.', "warn");
  }
  return 0;
}

function accept(values: Values, file: string | undefined): Promise<number> {
  if (file !== undefined) throw check.invalid("restore --accept", "no FILE", file);
  const why = needed(
    values.why?.trim() || undefined,
    "restore",
    "--why with what you compared the ledger with",
  );
  const by = userName(values.as);
  const say = (store: Store) => {
    if (store.restored === undefined)
      note("The store is not a restored one, or that was accepted before.", "dim");
    else store.acceptRestore({ by: { id: by }, why });
    return 0;
  };
  return withStore(values, say, { writes: true });
}
