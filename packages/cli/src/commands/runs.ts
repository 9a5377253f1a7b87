import type { RunSummary } from "@toolrig/core/kit";
import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { command } from "../shell/command.ts";
import { wholeNumber } from "../shell/whole-number.ts";
import { idCell, timeCell } from "../terminal/cell.ts";
import { excerpt } from "../terminal/event-text.ts";
import { note, printJson } from "../terminal/output.ts";
import { redactedFact } from "../terminal/redaction.ts";
import { printTable, type TableRow } from "../terminal/table.ts";

const HEAD = ["RUN", "STARTED", "STATUS", "TURNS", "TASK"];

export const runs = command({
  name: "runs",
  positionals: [],
  options: {
    ...STORE_OPTIONS,
    open: { type: "boolean", describe: "only runs that are not over: those to resume, and those that wait" },
    limit: { type: "string", short: "n", value: "N", describe: "how many (default: 50)" },
  },
  details:
    "Piped, each run is a line of tab-separated fields: run, start, status, turns, task. With --json, a list.",
  examples: ["toolrig runs", "toolrig runs --open"],

  run: ({ values }) =>
    withStore(values, ({ journal }) => {
      const found = journal.runs({
        ...(values.open === true && { ended: false }),
        ...(values.limit !== undefined && { limit: wholeNumber(values.limit, "--limit", 1) }),
      });
      if (values.json === true) printJson(redactedFact(found));
      else printTable(HEAD, found, cells, { spare: ["TURNS"], cut: true });
      if (found.length === 0) note("There are no runs.", "dim");
      return 0;
    }),
});

function cells({ header, turns, end, waiting }: RunSummary): TableRow {
  const unfinished = waiting === undefined ? "open" : "waiting";
  const status = end === undefined ? unfinished : statusOf(end.outcome);
  return [idCell(header.runId), timeCell(header.startedAt), status, String(turns), excerpt(header.input)];
}

function statusOf(outcome: unknown): string {
  const { status } = (outcome ?? {}) as { status?: unknown };
  return typeof status === "string" ? status : "ended";
}
