import { check } from "@toolrig/core/kit";
import type { Anchor, Audit, Store } from "@toolrig/store";
import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { chooseAction } from "../shell/choose-action.ts";
import { command, type Invocation } from "../shell/command.ts";
import { EXIT_FAILED } from "../shell/exit-code.ts";
import { timeCell } from "../terminal/cell.ts";
import { jsonText, note, print, printJson, visible } from "../terminal/output.ts";
import { printTable } from "../terminal/table.ts";
import { FILTER_OPTIONS, filterOf } from "./log/record-filter.ts";

const OPTIONS = {
  ...STORE_OPTIONS,
  anchor: {
    type: "string",
    value: "SEQ:HASH",
    describe: "verify: an end of the chain that was noted earlier and must still be part of it",
  },
  format: { type: "string", value: "ndjson|csv", describe: "export: the format (default: ndjson)" },
  ...FILTER_OPTIONS,
} as const;

type Values = Invocation<typeof OPTIONS>["values"];

const ACTIONS = { verify, export: exportRecords, changes };

export const audit = command({
  name: "audit",
  positionals: ["verify|export|changes"],
  options: OPTIONS,
  details: [
    "Every record is sealed with the one before it. verify reads all of them and finds what was changed, removed, moved or",
    "cut off; it prints from where to where it could check and the end of the chain, which noted elsewhere and given as",
    "--anchor also shows a chain that was made anew. Exit code 1 when something is wrong. export writes records, oldest",
    "first, to stdout. changes lists who changed descriptions and tokens, and retried or dropped dead letters,",
    "newest first: they are rows of the same chain.",
  ].join("\n"),
  examples: ["toolrig audit verify", "toolrig audit export --format csv --since 30d > calls.csv"],

  run({ values, positionals: [action] }) {
    const act = chooseAction("audit", action, ACTIONS);
    return withStore(values, (store) => act(store, values));
  },
});

const HEAD = ["ROW", "AT", "CHANGE", "OF", "BY"];

function changes({ records }: Store, values: Values): number {
  const found = records.changes();
  if (values.json === true) printJson(found);
  else
    printTable(HEAD, found, ({ seq, at, action, subject, by }) => [
      String(seq),
      timeCell(at),
      action,
      subject,
      by.id,
    ]);
  if (found.length === 0) note("There are no changes.", "dim");
  return 0;
}

function verify({ records }: Store, values: Values): number {
  const anchors = values.anchor === undefined ? [] : [anchorOf(values.anchor)];
  const found = records.verify(anchors);
  const head = records.head();
  if (values.json === true) printJson({ ...found, head });
  else if (found.ok) print(`ok\t${found.checked} records\t${head.seq}:${head.hash}\t${rangeOf(found)}`);
  if (found.firstSeq > 1) note(removedText(found), "warn");
  for (const { message } of found.problems) note(`toolrig: ${message}`, "bad");
  return found.ok ? 0 : EXIT_FAILED;
}

/** From where to where the chain could be checked. */
function rangeOf({ firstSeq, lastSeq }: Audit): string {
  return lastSeq < firstSeq ? "nothing to check" : `rows ${firstSeq} to ${lastSeq}`;
}

function removedText({ firstSeq, prunedAt }: Audit): string {
  const when = prunedAt === undefined ? "" : `, the last time at ${new Date(prunedAt).toISOString()}`;
  return `Rows 1 to ${firstSeq - 1} were removed${when}, and cannot be checked.`;
}

function anchorOf(text: string): Anchor {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
  throw check.invalid("--anchor", 'SEQ:HASH as "toolrig audit verify" prints it', text);
}

async function exportRecords({ records }: Store, values: Values): Promise<number> {
  const { format = "ndjson" } = values;
  if (format !== "ndjson" && format !== "csv") throw check.invalid("--format", "ndjson or csv", format);
  for (const chunk of records.export(format, filterOf(values))) {
    if (process.stdout.destroyed) break;
    if (!process.stdout.write(shown(chunk, format))) await roomInStdout();
  }
  return 0;
}

/** As it is for programs; on a terminal, without what could steer it. */
function shown(chunk: string, format: "ndjson" | "csv"): string {
  if (!process.stdout.isTTY) return chunk;
  return format === "ndjson" ? `${jsonText(JSON.parse(chunk))}\n` : `${visible(chunk.trimEnd())}\n`;
}

/** Resolves when standard output takes more, or when nobody reads it any more. */
function roomInStdout(): Promise<void> {
  const events = ["drain", "close", "error"];
  return new Promise((resolve) => {
    const onReady = () => {
      for (const event of events) process.stdout.off(event, onReady);
      resolve();
    };
    for (const event of events) process.stdout.on(event, onReady);
  });
}
