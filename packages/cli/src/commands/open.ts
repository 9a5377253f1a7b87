import type { LedgerEntry, RestoreMarker } from "@toolrig/store";
import { OF_FLEET_OPTION } from "../config/fleet-at.ts";
import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { command } from "../shell/command.ts";
import { idCell, timeCell } from "../terminal/cell.ts";
import { excerpt } from "../terminal/event-text.ts";
import { note, printJson } from "../terminal/output.ts";
import { redactedFact } from "../terminal/redaction.ts";
import { printTable, type TableRow } from "../terminal/table.ts";
import { fleetInDoubt } from "./fleet-outcomes.ts";

const HEAD = ["EXECUTION", "SINCE", "TOOL", "STATE", "ARGUMENTS"];

export const open = command({
  name: "open",
  positionals: [],
  options: { ...STORE_OPTIONS, ...OF_FLEET_OPTION },
  details: [
    "What a process had begun when it was killed, and what was given up without an outcome. running: its process is alive and",
    "will tell. open: the tool is asked at the next start, or it runs again when its call is continued. unknown: nobody can",
    'tell; look for yourself, then "toolrig settle". Piped, each is a line of tab-separated fields: execution, time, tool,',
    "state, arguments. With --nats, what the ledger of a fleet has without an outcome, and what its caller was told in the place of arguments.",
  ].join("\n"),
  examples: ["toolrig open", 'toolrig settle exec_01 happened --why "it is on the statement"'],

  run: ({ values }) => {
    if (values.nats !== undefined) return fleetInDoubt(values.nats, values, HEAD);
    return withStore(values, ({ ledger, restored }) => {
      const found = ledger.inDoubt();
      if (restored !== undefined) note(restoredText(restored), "warn");
      if (values.json === true) printJson(redactedFact(found));
      else printTable(HEAD, found, cells, { cut: true });
      if (found.length === 0)
        note(restored === undefined ? "Nothing is in doubt." : "Nothing else is in doubt.", "dim");
      else if (found.some((entry) => !entry.running))
        note("See what became of each, then: toolrig settle EXECUTION happened|never-ran --why TEXT", "dim");
      return 0;
    });
  },
});

/** What a restored store cannot know, and how that is ended. */
export function restoredText({ from, at }: RestoreMarker): string {
  const time = (ms: number) => new Date(ms).toISOString();
  return `Restored at ${time(at)} from a backup of ${time(from)}: executions begun in between are not in the ledger, and are unknown when they are asked for. When you have compared it with the world: toolrig restore --accept --why TEXT`;
}

function cells(entry: LedgerEntry): TableRow {
  const { executionId, at, name, state, running, args } = entry;
  return [idCell(executionId), timeCell(at), name, running ? "running" : state, excerpt(args ?? {})];
}
