import { formatDuration } from "@toolrig/core/kit";
import type { Store, StoredRecord } from "@toolrig/store";
import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { command } from "../shell/command.ts";
import { wholeNumber } from "../shell/whole-number.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { type Cell, idCell, timeCell } from "../terminal/cell.ts";
import { excerpt, wholeLine } from "../terminal/event-text.ts";
import { jsonText, note, print } from "../terminal/output.ts";
import { redactedFact } from "../terminal/redaction.ts";
import { widthOf } from "../terminal/streams.ts";
import { printTable, type TableRow } from "../terminal/table.ts";
import { findId } from "./find-id.ts";
import { askedWith } from "./log/asked-with.ts";
import { FILTER_OPTIONS, filterOf } from "./log/record-filter.ts";

const HEAD = ["ENDED", "KIND", "TOOL", "TOOK", "EXECUTION", "RUN", "CALL"];

export const log = command({
  name: "log",
  positionals: [],
  options: {
    ...STORE_OPTIONS,
    ...FILTER_OPTIONS,
    limit: {
      type: "string",
      short: "n",
      value: "N",
      describe: "how many of the latest, up to 1000 (default: 50)",
    },
    follow: {
      type: "boolean",
      short: "f",
      describe: "go on with what is recorded from now on, until Ctrl-C",
    },
  },
  details: [
    "Piped, each call is a line of tab-separated fields: end, kind, tool, duration, execution, run, arguments and answer.",
    "With --json, each is a line of JSON with everything that is recorded.",
  ].join("\n"),
  examples: [
    "toolrig log --kind error --since 1d",
    'toolrig log --tool send_mail --text "invoice" --json',
    "toolrig log --path src/ --follow",
  ],

  run: ({ values }) =>
    withStore(values, async (store) => {
      const filter = filterOf(values);
      // An id may be shortened; one that is not known finds nothing.
      if (filter.runId !== undefined) filter.runId = findId(store, filter.runId, ["run"])?.id ?? filter.runId;
      const limit = values.limit === undefined ? {} : { limit: wholeNumber(values.limit, "--limit", 1) };
      const show = (records: readonly StoredRecord[]) => printRecords(records, values.json === true);
      const head = store.records.head().seq;
      const latest = store.records.query({ ...filter, ...limit }).records.reverse();
      show(latest);
      if (values.follow === true) await follow(store, filter, Math.max(head, latest.at(-1)?.seq ?? 0), show);
      else if (latest.length === 0) note("No recorded call matches.", "dim");
      return 0;
    }),
});

async function follow(
  { records }: Store,
  filter: ReturnType<typeof filterOf>,
  after: number,
  show: (records: readonly StoredRecord[]) => void,
): Promise<void> {
  for await (const record of records.follow(filter, { signal: cancelOnSignal(""), after })) show([record]);
}

function printRecords(records: readonly StoredRecord[], json: boolean): void {
  if (json) for (const record of records) print(jsonText(redactedFact(record)));
  else
    printTable(HEAD, records, cells, {
      toneOf: ({ result }) => (result.isError ? "bad" : "plain"),
      spare: ["RUN", "TOOK"],
      cut: true,
    });
}

function cells(record: StoredRecord): TableRow {
  const { endTime, name, durationMs, executionId, runId = "-", result } = record;
  const answer = result.failure?.message ?? result.content.find((part) => part.type === "text")?.text ?? "";
  return [
    timeCell(endTime),
    result.failure?.kind ?? "ok",
    name,
    formatDuration(durationMs),
    idCell(executionId),
    idCell(runId),
    askedAndAnswered(askedWith(record), answer),
  ];
}

/** People see the beginning of both, so that arguments leave room for the answer; programs get all of it, on one line. */
function askedAndAnswered(asked: unknown, answer: string): Cell {
  const most = Math.min(60, Math.floor(widthOf("stdout") / 4));
  return {
    whole: `${wholeLine(asked)} → ${wholeLine(answer)}`,
    short: `${excerpt(asked, most)} → ${excerpt(answer, 60)}`,
  };
}
