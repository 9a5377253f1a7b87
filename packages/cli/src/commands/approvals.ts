import { ApprovalQueue, type GrantScope, type Principal, ToolrigError } from "@toolrig/core";
import { type ApprovalEntry, acceptSchema, type Grant, messageOf, parseDuration } from "@toolrig/core/kit";
import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { chooseAction, needed } from "../shell/choose-action.ts";
import { command, type Invocation } from "../shell/command.ts";
import { NotFound } from "../shell/not-found.ts";
import { userName } from "../shell/user-name.ts";
import type { Row } from "../terminal/columns.ts";
import { excerpt } from "../terminal/event-text.ts";
import { readStdin } from "../terminal/input.ts";
import { note, printJson } from "../terminal/output.ts";
import { redacted } from "../terminal/redaction.ts";
import { printTable } from "../terminal/table.ts";

const OPTIONS = {
  ...STORE_OPTIONS,
  as: { type: "string", value: "NAME", describe: "who answers (default: the user of this machine)" },
  all: { type: "boolean", describe: "list: also questions that were answered" },
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
  queue: ApprovalQueue;
  values: Invocation<typeof OPTIONS>["values"];
  target: string | undefined;
  given: string | undefined;
}

const LIST_HEAD = ["EXECUTION", "ASKED", "TOOL", "STATE", "ARGUMENTS", "REASONS"];
const GRANTS_HEAD = ["GRANT", "TOOL", "BOUNDS", "BY"];
const ACTIONS = { list, approve, deny, edit, grants, revoke };

export const approvals = command({
  name: "approvals",
  summary: "Answer calls that wait for approval",
  positionals: ["list|approve|deny|edit|grants|revoke", "[EXECUTION|GRANT]", "[ARGUMENTS|-]"],
  options: OPTIONS,
  details: [
    "A question is answered once, and not by the principal on whose behalf the call is made. edit approves with other",
    "arguments, which are validated again. grants lists what --always granted, and revoke takes it back.",
    "Piped, each question is a line of tab-separated fields: execution, time, tool, state, arguments, reasons.",
  ].join("\n"),
  examples: [
    "toolrig approvals list",
    "toolrig approvals approve exec_01 --as ada --always --for 1h",
    `toolrig approvals edit exec_01 '{"to": "ada@example.com"}'`,
    'toolrig approvals deny exec_01 --reason "ask me on Monday"',
  ],

  run({ values, positionals: [name, target, given] }) {
    const act = chooseAction("approvals", name, ACTIONS);
    return withStore(values, async (store) => {
      await act({ queue: new ApprovalQueue({ store: store.approvals }), values, target, given });
      return 0;
    });
  },
});

async function list({ queue, values }: Action): Promise<void> {
  const entries = await queue.store.list({ open: values.all !== true });
  if (values.json === true) printJson(redacted(entries));
  else printTable(LIST_HEAD, entries, cells);
  if (entries.length === 0) note("Nothing waits for approval.", "dim");
}

function cells({ pending, decision }: ApprovalEntry): Row {
  const { executionId, createdAt, name, args, reasons } = pending;
  const state = decision?.decision ?? "waits";
  return [
    executionId,
    new Date(createdAt).toISOString(),
    name,
    state,
    excerpt(args),
    excerpt(reasons.join("; "), 200),
  ];
}

async function approve({ queue, values, target }: Action): Promise<void> {
  const execution = needed(target, "approvals approve", "EXECUTION");
  const always = scopeOf(values);
  await checkAsked(queue, execution);
  await queue.approve(execution, { by: answerer(values.as), ...(always !== undefined && { always }) });
  await confirm(execution, queue, values.json);
}

async function edit({ queue, values, target, given }: Action): Promise<void> {
  const execution = needed(target, "approvals edit", "EXECUTION");
  const text = needed(given, "approvals edit", "ARGUMENTS, the JSON to call it with");
  const args = parsed(text === "-" ? await readStdin() : text, "ARGUMENTS");
  await checkAsked(queue, execution);
  await queue.approve(execution, { by: answerer(values.as), args });
  await confirm(execution, queue, values.json);
}

async function deny({ queue, values, target }: Action): Promise<void> {
  const execution = needed(target, "approvals deny", "EXECUTION");
  await checkAsked(queue, execution);
  const { reason } = values;
  await queue.deny(execution, { by: answerer(values.as), ...(reason !== undefined && { reason }) });
  await confirm(execution, queue, values.json);
}

/** Throws unless somebody is, or was, asked about the execution. */
async function checkAsked({ store }: ApprovalQueue, id: string): Promise<void> {
  if ((await store.get(id)) !== undefined) return;
  const hint = 'Run "toolrig approvals list" for what does.';
  throw new NotFound(`Nothing waits for approval under execution ${id}. ${hint}`);
}

async function grants({ queue, values }: Action): Promise<void> {
  const all = await queue.store.grants();
  if (values.json === true) printJson(redacted(all));
  else printTable(GRANTS_HEAD, all, (grant) => [grant.id, grant.tool, bounds(grant), grant.by.id]);
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
  if (json === true) printJson(redacted(entry));
  else note(`${entry?.pending.name} (${execution}) is ${entry?.decision?.decision}.`);
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
    ...(where !== undefined && { constraints: acceptSchema(parsed(where, "--where"), "--where").jsonSchema }),
    ...(duration !== undefined && { for: parseDuration(duration, "--for") }),
    ...(thisRun === true && { thisRun }),
  };
}

function bounds({ constraints, runId, principalId, until }: Grant): string {
  const parts = [
    constraints === undefined ? undefined : excerpt(constraints),
    runId === undefined ? undefined : `run ${runId}`,
    principalId === undefined ? undefined : `for ${principalId}`,
    until === undefined ? undefined : `until ${new Date(until).toISOString()}`,
  ];
  return parts.filter((part) => part !== undefined).join(", ") || "any arguments";
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ToolrigError("OPTION_INVALID", `${what} must be JSON: ${messageOf(error)}.`);
  }
}
