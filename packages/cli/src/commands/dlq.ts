import { defined } from "@toolrig/core/kit";
import { type DeadLetter, DeadLetters } from "@toolrig/nats";
import { callerAt, NATS_CALLER_OPTIONS } from "../config/fleet-at.ts";
import { loadSettings } from "../config/load-settings.ts";
import { recordChange } from "../config/record-change.ts";
import { chooseAction, needed } from "../shell/choose-action.ts";
import { command } from "../shell/command.ts";
import { wholeNumber } from "../shell/whole-number.ts";
import { timeCell } from "../terminal/cell.ts";
import { excerpt } from "../terminal/event-text.ts";
import { note, print, printJson } from "../terminal/output.ts";
import { redactedFact, redactedText } from "../terminal/redaction.ts";
import { printTable, type TableRow } from "../terminal/table.ts";

interface Action {
  letters: DeadLetters;
  target: string | undefined;
  limit: number;
  as: string | undefined;
  json: boolean;
  config: string | undefined;
}

const HEAD = ["NUMBER", "SINCE", "TOOL", "REASON"];
const ACTIONS = { list, show, retry, drop };

export const dlq = command({
  name: "dlq",
  positionals: ["list|show|retry|drop", "[NUMBER]"],
  options: {
    ...NATS_CALLER_OPTIONS,
    as: {
      type: "string",
      value: "NAME",
      describe: "retry: make it a new call in your own name, as what workers refused needs",
    },
    limit: { type: "string", short: "n", value: "N", describe: "list: how many (default: 100)" },
  },
  details: [
    "retry sends the call again as an execution of its own, whose id it prints: the old one has its outcome, which stands.",
    "Piped, each is a line of tab-separated fields: number, time, tool, reason.",
  ].join("\n"),
  examples: ["toolrig dlq list", "toolrig dlq show 7", "toolrig dlq retry 7"],

  async run({ values, positionals: [name, target] }) {
    const act = chooseAction("dlq", name, ACTIONS);
    const limit = wholeNumber(values.limit ?? "100", "--limit", 1);
    const letters = await DeadLetters.connect(
      callerAt(values, await loadSettings(values.config, { needed: false })),
    );
    try {
      const { as, config, json = false } = values;
      await act({ letters, target, limit, as, json, config });
      return 0;
    } finally {
      await letters.close();
    }
  },
});

async function list({ letters, limit, json }: Action): Promise<void> {
  const found = await letters.list(limit);
  if (json) printJson(redactedFact(found));
  else printTable(HEAD, found, cells);
  if (found.length === 0) note("There are no dead letters.", "dim");
}

function cells({ seq, at, tool, reason }: DeadLetter): TableRow {
  return [String(seq), timeCell(at), tool, excerpt(reason, 200)];
}

async function show({ letters, target, json }: Action): Promise<void> {
  const letter = await letters.show(numberOf(target, "show"));
  if (json) {
    printJson(redactedFact(letter));
    return;
  }
  note(
    `${letter.tool || "not a call"}: ${letter.reason} (since ${new Date(letter.at).toISOString()}, on ${letter.origin})`,
  );
  print(redactedText(letter.body));
}

async function retry({ letters, target, as, json, config }: Action): Promise<void> {
  const seq = numberOf(target, "retry");
  const executionId = await letters.retry(seq, as === undefined ? {} : { by: { id: as } });
  if (json) printJson({ seq, executionId });
  else if (executionId !== undefined) print(executionId);
  note(`${seq} is queued again.`, "dim");
  await recordChange(config, {
    action: "dead-letter.retried",
    subject: String(seq),
    details: defined({ executionId }),
  });
}

async function drop({ letters, target, json, config }: Action): Promise<void> {
  const seq = numberOf(target, "drop");
  await letters.show(seq);
  await letters.drop(seq);
  if (json) printJson({ seq });
  note(`${seq} is dropped.`, "dim");
  await recordChange(config, { action: "dead-letter.dropped", subject: String(seq) });
}

function numberOf(text: string | undefined, action: string): number {
  return wholeNumber(needed(text, `dlq ${action}`, 'NUMBER, from "toolrig dlq list"'), "NUMBER", 1);
}
