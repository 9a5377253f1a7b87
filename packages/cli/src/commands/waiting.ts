import {
  approvedNotRunning,
  check,
  defined,
  formatDuration,
  type Wait,
  type WaitFilter,
} from "@toolrig/core/kit";
import type { Store } from "@toolrig/store";
import { OF_FLEET_OPTION } from "../config/fleet-at.ts";
import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { chooseAction, needed } from "../shell/choose-action.ts";
import { command, type Invocation } from "../shell/command.ts";
import { NotFound } from "../shell/not-found.ts";
import { wholeNumber } from "../shell/whole-number.ts";
import { idCell } from "../terminal/cell.ts";
import { counted } from "../terminal/counted.ts";
import { excerpt } from "../terminal/event-text.ts";
import { note, print, printJson, roomOf, visible } from "../terminal/output.ts";
import { redactedFact } from "../terminal/redaction.ts";
import { printTable, type TableRow } from "../terminal/table.ts";
import { hang } from "../terminal/wrap.ts";
import { findId, neededId } from "./find-id.ts";
import { fleetWaits } from "./fleet-outcomes.ts";

const KINDS = ["approval", "question", "deferred", "external", "background"] as const;
const STRANDED = "approved, not running";
const HEAD = ["EXECUTION", "KIND", "TOOL", "FOR", "STATE", "WHAT"];

const OPTIONS = {
  ...STORE_OPTIONS,
  ...OF_FLEET_OPTION,
  kind: { type: "string", value: "KIND", describe: `list: only ${KINDS.join(", ")}` },
  run: { type: "string", value: "RUN", describe: "list: only of this run" },
  tool: { type: "string", value: "NAME", describe: "list: only of this tool" },
  all: { type: "boolean", describe: "list: also what has ended" },
  limit: { type: "string", short: "n", value: "N", describe: "list: at most so many (default 100)" },
} as const;

type Values = Invocation<typeof OPTIONS>["values"];

export const waiting = command({
  name: "waiting",
  positionals: ["[list|show]", "[EXECUTION]"],
  options: OPTIONS,
  details: [
    "Approvals, questions of tools, results that come later or from elsewhere, and calls in the background: the oldest first,",
    "with how long each has waited; and calls that were approved after the process that asked had died, which toolrig call",
    "--execution runs. show has everything that one execution waits, or waited, for. End a wait with",
    '"toolrig approvals approve", "toolrig answer", "toolrig complete" or "toolrig cancel". Piped, each is a line of',
    "tab-separated fields: execution, kind, tool, for, state, what.",
  ].join("\n"),
  examples: ["toolrig waiting", "toolrig waiting list --kind question", "toolrig waiting show exec_01"],

  run({ values, positionals: [name = "list", target] }) {
    const act = chooseAction("waiting", name, { list, show });
    check.oneOf("--kind", values.kind, KINDS);
    if (values.nats !== undefined) return ofFleet(values.nats, values, name === "show", target);
    return withStore(values, async (store) => {
      await act(store, values, target);
      return 0;
    });
  },
});

function filterOf({ kind, run, tool, all, limit }: Values): WaitFilter {
  return {
    open: all !== true,
    limit: limit === undefined ? 100 : wholeNumber(limit, "--limit", 1),
    ...(kind !== undefined && { kind: kind as Wait["kind"] }),
    ...defined({ runId: run, name: tool }),
  };
}

/** The same of what waits in a fleet, where ids are not shortened. */
async function ofFleet(
  url: string,
  values: Values,
  one: boolean,
  target: string | undefined,
): Promise<number> {
  const executionId = one ? needed(target, "waiting show", "EXECUTION") : undefined;
  const found = await fleetWaits(url, values, executionId === undefined ? filterOf(values) : { executionId });
  if (executionId !== undefined) showWaits(executionId, values, found.map(shown));
  else if (values.json === true) printJson(redactedFact(found.map(shown)));
  else printTable(HEAD, found, (wait) => cells(wait, wait.end?.how ?? "waits"));
  if (found.length === 0) note("Nothing waits now.", "dim");
  return 0;
}

async function list(store: Store, values: Values): Promise<void> {
  const { waits } = store;
  const { run } = values;
  const filter: WaitFilter = {
    ...filterOf(values),
    ...(run !== undefined && { runId: findId(store, run, ["run"])?.id ?? run }),
  };
  const stranded = await strandedIn(store, filter);
  const isStranded = new Set(stranded.map(({ id }) => id));
  const found = [...stranded, ...waits.list(filter).filter(({ id }) => !isStranded.has(id))];
  const stateOf = ({ id, end }: Wait) => (isStranded.has(id) ? STRANDED : (end?.how ?? "waits"));
  if (values.json === true)
    printJson(redactedFact(found.map((wait) => ({ ...shown(wait), state: stateOf(wait) }))));
  else printTable(HEAD, found, (wait) => cells(wait, stateOf(wait)));
  if (stranded.length > 0)
    note(`Run what is approved and not running with "toolrig call --execution EXECUTION".`, "dim");
  const counts = waits
    .counts()
    .map(({ kind: each, count }) => (isNoun(each) ? counted(count, each) : `${count} ${each}`));
  note(counts.length === 0 ? "Nothing waits now." : `In all: ${counts.join(", ")}.`, "dim");
}

/** The others are said of calls. */
const isNoun = (kind: string) => kind === "approval" || kind === "question";

/** What a token hashes to is nobody's business. */
function shown({ tokens: _, ...wait }: Wait): Omit<Wait, "tokens"> {
  return wait;
}

/** Approved after the process that asked had died. */
async function strandedIn({ waits }: Store, { kind, runId, name, limit }: WaitFilter): Promise<Wait[]> {
  if (kind !== undefined && kind !== "approval") return [];
  const found = await approvedNotRunning(waits, Date.now(), limit);
  return found.filter((wait) => (runId ?? wait.runId) === wait.runId && (name ?? wait.name) === wait.name);
}

function cells({ executionId, kind, name, createdAt, note: what = "", end }: Wait, state: string): TableRow {
  const age = formatDuration(Math.max(0, Math.round(((end?.at ?? Date.now()) - createdAt) / 1_000)) * 1_000);
  return [idCell(executionId), kind, visible(name), age, state, excerpt(what, 200)];
}

async function show(store: Store, values: Values, target: string | undefined): Promise<void> {
  const executionId = neededId(store, needed(target, "waiting show", "EXECUTION"), "execution");
  showWaits(executionId, values, store.waits.list({ executionId }).map(shown));
}

function showWaits(executionId: string, values: Values, waits: readonly Omit<Wait, "tokens">[]): void {
  const found = redactedFact(waits) as Wait[];
  if (found.length === 0) throw new NotFound(`Execution ${executionId} waits for nothing.`);
  const room = roomOf("stdout");
  if (values.json === true) {
    printJson(found);
    return;
  }
  print(
    found
      .map((wait) =>
        linesOf(wait)
          .map(([name, text]) => `${name.padEnd(10)} ${hang(11, text, room)}`)
          .join("\n"),
      )
      .join("\n\n"),
  );
}

function linesOf(wait: Wait): (readonly [string, string])[] {
  const { id, kind, name, note: what, runId, principal, createdAt, expiresAt, end, body } = wait;
  const question = body as {
    message?: string;
    schema?: unknown;
    ref?: unknown;
    args?: unknown;
    checks?: number;
  };
  const time = (at: number) => new Date(at).toISOString();
  const lines: (readonly [string, string | undefined])[] = [
    ["wait", visible(id)],
    ["kind", kind],
    ["tool", visible(name)],
    ["what", what === undefined ? undefined : visible(what)],
    ["arguments", question.args === undefined ? undefined : excerpt(question.args, 1_000)],
    ["ref", question.ref === undefined ? undefined : excerpt(question.ref, 1_000)],
    ["answer", kind === "question" ? excerpt(question.schema, 1_000) : undefined],
    ["checks", question.checks ? String(question.checks) : undefined],
    ["run", runId === undefined ? undefined : visible(runId)],
    ["for", principal === undefined ? undefined : visible(principal.id)],
    ["since", time(createdAt)],
    ["until", expiresAt === undefined ? undefined : time(expiresAt)],
    [
      "ended",
      end === undefined
        ? undefined
        : `${end.how} at ${time(end.at)}${end.by === undefined ? "" : ` by ${visible(end.by.id)}`}`,
    ],
    ["with", end?.body === undefined ? undefined : excerpt(end.body, 1_000)],
  ];
  return lines.flatMap(([label, text]) => (text === undefined ? [] : [[label, text] as const]));
}
