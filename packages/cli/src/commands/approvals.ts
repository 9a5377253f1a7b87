import { ApprovalQueue, type GrantScope, type Principal, ToolrigError } from "@toolrig/core";
import { type ApprovalEntry, acceptSchema, defined, type Grant, parseDuration } from "@toolrig/core/kit";
import type { Store } from "@toolrig/store";
import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { chooseAction, needed } from "../shell/choose-action.ts";
import { command, type Invocation } from "../shell/command.ts";
import { atLeast } from "../shell/flag-checks.ts";
import { NotFound } from "../shell/not-found.ts";
import { userName } from "../shell/user-name.ts";
import { idCell, timeCell } from "../terminal/cell.ts";
import { excerpt } from "../terminal/event-text.ts";
import { parseJson, readStdin } from "../terminal/input.ts";
import { note, print, printJson } from "../terminal/output.ts";
import { redactedFact } from "../terminal/redaction.ts";
import { printTable, type TableRow } from "../terminal/table.ts";
import {
  answerText,
  editedTo,
  listedArguments,
  questionPages,
  reasonsOf,
  shownText,
} from "./approvals/question-text.ts";
import { findId } from "./find-id.ts";

const OPTIONS = {
  ...STORE_OPTIONS,
  as: { type: "string", value: "NAME", describe: "who answers (default: the user of this machine)" },
  all: { type: "boolean", describe: "list: also questions that were answered" },
  page: {
    type: "string",
    value: "N",
    check: atLeast(1),
    describe: "show: this page of it (default: the first; piped, all of it)",
  },
  fingerprint: {
    type: "string",
    value: "HASH",
    describe: "approve: what the last page shows; needed where there is more than one",
  },
  reason: { type: "string", value: "TEXT", describe: "deny: why, for the model" },
  always: { type: "boolean", describe: "approve: from now on, without asking" },
  where: {
    type: "string",
    value: "SCHEMA",
    describe: "with --always: only arguments that match this JSON Schema",
  },
  for: { type: "string", value: "DURATION", describe: "with --always: only for so long" },
  "this-run": { type: "boolean", describe: "with --always: only in the run that asked" },
} as const;

interface Action {
  store: Store;
  queue: ApprovalQueue;
  values: Invocation<typeof OPTIONS>["values"];
  target: string | undefined;
  given: string | undefined;
}

const LIST_HEAD = ["EXECUTION", "ASKED", "TOOL", "STATE", "FOR", "ARGUMENTS", "REASONS"];
const GRANTS_HEAD = ["GRANT", "TOOL", "BOUNDS", "BY"];
const ACTIONS = { list, show, approve, deny, edit, grants, revoke };
/** Other words that people have for them. */
const ALSO = {
  accept: "approve",
  allow: "approve",
  decline: "deny",
  refuse: "deny",
  reject: "deny",
} as const;

export const approvals = command({
  name: "approvals",
  positionals: ["[list|show|approve|deny|edit|grants|revoke]", "[EXECUTION|GRANT]", "[ARGUMENTS|-]"],
  options: OPTIONS,
  details: [
    "A question is answered once, and not by the principal on whose behalf the call is made. show has all of it, in pages:",
    "who asks, for whom, why, and the whole arguments, in which characters that cannot be seen are spelt out and secrets are",
    "masked. What has more than one page is approved with the fingerprint at its end. edit approves with other arguments;",
    "what could not run is refused. grants lists what --always granted, and revoke takes it back.",
    "A narrow terminal lists them without for whom and why. Piped, each question is a line of tab-separated fields:",
    "execution, time, tool, state (waits, or what was answered, by whom and why), for, arguments, reasons.",
  ].join("\n"),
  examples: [
    "toolrig approvals list",
    "toolrig approvals show exec_01",
    "toolrig approvals approve exec_01 --as ada --always --for 1h",
    `toolrig approvals edit exec_01 '{"to": "ada@example.com"}'`,
    'toolrig approvals deny exec_01 --reason "ask me on Monday"',
  ],

  run({ values, positionals: [name = "list", target, given] }) {
    const act = chooseAction("approvals", name, ACTIONS, ALSO);
    return withStore(values, async (store) => {
      await act({ store, queue: new ApprovalQueue({ store: store.approvals }), values, target, given });
      return 0;
    });
  },
});

async function list({ queue, values }: Action): Promise<void> {
  const entries = await queue.store.list({ open: values.all !== true });
  if (values.json === true) printJson(redactedFact(entries));
  else printTable(LIST_HEAD, entries, cells, { spare: ["FOR", "REASONS"] });
  if (entries.length === 0) note("Nothing waits for approval.", "dim");
}

function cells({ pending, decision }: ApprovalEntry): TableRow {
  const { executionId, createdAt, name, args, principal } = pending;
  const state = answerText(decision);
  return [
    idCell(executionId),
    timeCell(createdAt),
    shownText(name),
    { whole: state, short: excerpt(state) },
    shownText(principal?.id ?? "-"),
    listedArguments(editedTo(decision) ?? args),
    excerpt(reasonsOf(pending).join("; "), 200),
  ];
}

async function show(action: Action): Promise<void> {
  const { values, target } = action;
  const entry = await questionAbout(action, "show");
  if (values.json === true) return printJson(redactedFact(entry));
  const pages = questionPages(entry);
  const whole = values.page === undefined && !process.stdout.isTTY;
  const page = Number(values.page ?? 1);
  const shown = whole ? pages.flat() : pages[page - 1];
  if (shown === undefined)
    throw new ToolrigError("OPTION_INVALID", `--page must be at most ${pages.length} here, not ${page}.`);
  print(shown.join("\n"));
  if (!whole && page < pages.length)
    note(
      `Page ${page} of ${pages.length}. The next: toolrig approvals show ${target} --page ${page + 1}`,
      "dim",
    );
}

/** Throws unless somebody is, or was, asked about the execution. */
async function questionAbout({ store, queue, target }: Action, action: string): Promise<ApprovalEntry> {
  const execution = needed(target, `approvals ${action}`, "EXECUTION");
  const found = findId(store, execution, ["execution"]);
  const entry = found === undefined ? undefined : await queue.store.get(found.id);
  if (entry !== undefined) return entry;
  const hint = 'Run "toolrig approvals list" for what does.';
  throw new NotFound(`Nothing waits for approval under execution ${execution}. ${hint}`);
}

/** Whoever lets a call run has seen all of it: what does not fit on a page is named by what stands at its end. */
function checkSeen(entry: ApprovalEntry, fingerprint: string | undefined): void {
  const { length } = questionPages(entry);
  if (length === 1 || fingerprint !== undefined || entry.decision !== undefined) return;
  const { executionId } = entry.pending;
  throw new ToolrigError(
    "APPROVAL_REFUSED",
    `The question has ${length} pages. Read them with "toolrig approvals show ${executionId}", and approve it with ` +
      "--fingerprint and what stands at the end.",
  );
}

async function approve(action: Action): Promise<void> {
  const { queue, values } = action;
  const always = scopeOf(values);
  const { fingerprint } = values;
  const entry = await questionAbout(action, "approve");
  checkSeen(entry, fingerprint);
  const { executionId } = entry.pending;
  await queue.approve(executionId, {
    by: answerer(values.as),
    ...defined({ always, fingerprint }),
  });
  await confirm(executionId, queue, values.json);
}

async function edit(action: Action): Promise<void> {
  const { queue, values, given } = action;
  const text = needed(given, "approvals edit", "EXECUTION and ARGUMENTS, the JSON to call it with");
  const args = parseJson(text === "-" ? await readStdin() : text, "ARGUMENTS");
  const { executionId } = (await questionAbout(action, "edit")).pending;
  await queue.approve(executionId, { by: answerer(values.as), args });
  await confirm(executionId, queue, values.json);
}

async function deny(action: Action): Promise<void> {
  const { queue, values } = action;
  const { executionId } = (await questionAbout(action, "deny")).pending;
  const { reason } = values;
  await queue.deny(executionId, { by: answerer(values.as), ...defined({ reason }) });
  await confirm(executionId, queue, values.json);
}

async function grants({ queue, values }: Action): Promise<void> {
  const all = await queue.store.grants();
  if (values.json === true) printJson(redactedFact(all));
  else
    printTable(GRANTS_HEAD, all, (grant) => [
      grant.id,
      shownText(grant.tool),
      bounds(grant),
      shownText(grant.by.id),
    ]);
  if (all.length === 0) note("There are no grants.", "dim");
}

async function revoke({ queue, target }: Action): Promise<void> {
  const id = needed(target, "approvals revoke", 'GRANT, an id from "toolrig approvals grants"');
  if (await queue.store.removeGrant(id)) note(`${id} is revoked.`);
  else throw new NotFound(`There is no grant ${id}. Run "toolrig approvals grants" for those there are.`);
}

async function confirm(
  execution: string,
  { store }: ApprovalQueue,
  json: boolean | undefined,
): Promise<void> {
  const entry = await store.get(execution);
  if (entry === undefined) return;
  if (json === true) return printJson(redactedFact(entry));
  const { pending, decision } = entry;
  const args = listedArguments(editedTo(decision) ?? pending.args);
  note(`${shownText(pending.name)} ${args} (${execution}) is ${decision?.decision}.`);
}

function answerer(name: string | undefined): Principal {
  return { id: userName(name) };
}

function scopeOf({
  always,
  where,
  for: duration,
  "this-run": thisRun,
}: Action["values"]): GrantScope | undefined {
  if (always !== true) {
    if (where === undefined && duration === undefined && thisRun !== true) return undefined;
    throw new ToolrigError(
      "OPTION_INVALID",
      "--where, --for and --this-run limit what --always grants; give that too.",
    );
  }
  return {
    ...(where !== undefined && {
      constraints: acceptSchema(parseJson(where, "--where"), "--where").jsonSchema,
    }),
    ...(duration !== undefined && { for: parseDuration(duration, "--for") }),
    ...(thisRun === true && { thisRun }),
  };
}

function bounds({ constraints, runId, principalId, until, provider, guards }: Grant): string {
  const parts = [
    provider === undefined ? undefined : `from ${shownText(provider)}`,
    constraints === undefined ? undefined : listedArguments(constraints),
    runId === undefined ? undefined : `run ${runId}`,
    principalId === undefined ? undefined : `for ${shownText(principalId)}`,
    until === undefined ? undefined : `until ${new Date(until).toISOString()}`,
  ];
  const bound = parts.filter((part) => part !== undefined).join(", ") || "any arguments";
  return guards === undefined ? bound : `${bound}, asked by ${shownText(guards.join(", "))}`;
}
