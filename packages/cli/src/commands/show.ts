import { type Timing, textOf } from "@toolrig/core";
import type { ThrownError } from "@toolrig/core/kit";
import { type ApprovalEntry, formatDuration, type LateRecord } from "@toolrig/core/kit";
import type { LedgerEntry, Store, StoredRecord } from "@toolrig/store";
import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { command } from "../shell/command.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";
import { NotFound } from "../shell/not-found.ts";
import { excerpt } from "../terminal/event-text.ts";
import { print, printJson, roomOf, visible } from "../terminal/output.ts";
import { redactedFact } from "../terminal/redaction.ts";
import { hang } from "../terminal/wrap.ts";
import { findId } from "./find-id.ts";
import { askedWith } from "./log/asked-with.ts";
import { runLines } from "./show/run-lines.ts";

interface Known {
  records: StoredRecord[];
  late: LateRecord[];
  ledger: LedgerEntry | undefined;
  approval: ApprovalEntry | undefined;
}

export const show = command({
  name: "show",
  positionals: ["EXECUTION|RUN|@last"],
  options: STORE_OPTIONS,
  details: [
    "Of an execution: its records, what came too late, its entry in the ledger and the question about it, where there are.",
    "Of a run: its task, how it ended and its calls. An id may be shortened to its beginning, or to its end; @last is the",
    "call that ended last. With --json, { records, late, ledger, approval } or { run, records }.",
    `Exit code ${EXIT_CODE.not_found} when nothing is known of it.`,
  ].join("\n"),
  examples: ["toolrig show exec_01", "toolrig show run_01", "toolrig show @last --json"],

  run: ({ values, positionals: [typed] }) =>
    withStore(values, async (store) => {
      const found = findId(store, typed, ["execution", "run"]);
      if (found === undefined)
        throw new NotFound(
          `nothing is known of ${typed}. Run "toolrig log" or "toolrig runs" for what there is.`,
        );
      if (found.kind === "run") showRun(store, found.id, values.json === true);
      else await showExecution(store, found.id, values.json === true);
      return 0;
    }),
});

/** The ledger and the questions hold arguments as they are; records may be older than the config's rules. */
async function showExecution(
  { records, ledger, approvals }: Store,
  id: string,
  json: boolean,
): Promise<void> {
  const known: Known = redactedFact({
    ...records.get(id),
    ledger: ledger.get(id),
    approval: await approvals.get(id),
  });
  if (json) printJson(known);
  else print(visible(paragraphs(known).join("\n\n")));
}

function showRun({ records, journal }: Store, runId: string, json: boolean): void {
  const calls = redactedFact([...records.all({ runId })]);
  const run = redactedFact(journal.summary(runId));
  if (json) printJson({ run, records: calls });
  else
    print(
      visible(
        runLines(runId, run, calls)
          .map(([name, value]) => field(name, value))
          .join("\n"),
      ),
    );
}

/** Each record by itself, and what is known of the execution beside them. */
function paragraphs({ records, ...beside }: Known): string[] {
  return [...records.map(recordLines), linesBeside(beside, records.length > 0)]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"));
}

function linesBeside({ late, ledger, approval }: Omit<Known, "records">, isRecorded: boolean): string[] {
  return [
    ...late.flatMap(({ afterMs, isError, value, message, verdicts = [] }) => [
      field(
        "late",
        `${isError ? "threw" : "returned"} ${excerpt(message ?? value)} ${formatDuration(afterMs)} after the end`,
      ),
      ...verdicts.map(verdictLine),
    ]),
    ...(ledger === undefined
      ? []
      : [field("ledger", `${ledger.state} since ${time(ledger.closedAt ?? ledger.at)}`)]),
    ...(ledger === undefined || ledger.running || (ledger.state !== "open" && ledger.state !== "unknown")
      ? []
      : [field("in doubt", `toolrig settle ${ledger.executionId} happened|never-ran --why TEXT`)]),
    ...(isRecorded || ledger === undefined ? [] : [field("call", `${ledger.name} ${json(ledger.args)}`)]),
    ...(approval === undefined ? [] : approvalLines(approval)),
  ];
}

function recordLines(record: StoredRecord): string[] {
  const { result, timing, verdicts, retries = [], errors = [] } = record;
  const ids = {
    execution: record.executionId,
    call: record.callId,
    run: record.runId,
    parent: record.parentId,
  };
  return [
    field("tool", record.version === undefined ? record.name : `${record.name}@${record.version}`),
    ...Object.entries(ids).flatMap(([name, id]) => (id === undefined ? [] : [field(name, id)])),
    field(
      "source",
      record.principal === undefined ? record.source : `${record.source}, for ${record.principal.id}`,
    ),
    field("record", `${record.seq}, ${record.hash}${record.recovered ? ", recovered after a crash" : ""}`),
    field("ended", time(record.endTime)),
    field("took", `${formatDuration(record.durationMs)}: ${stages(timing)}`),
    field("attempts", String(result.attempts)),
    ...retries.map(({ failure }) => field("retried", failure.message)),
    ...errors.map(({ error }) => field("threw", stackOf(error))),
    field("arguments", json(askedWith(record))),
    ...(result.decoded.mode === "strict"
      ? []
      : [field(result.decoded.mode, `from ${json(record.rawArguments)}`)]),
    ...result.decoded.repairs.map(({ kind, before, after }) =>
      field("repair", `${kind}: ${before} → ${after}`),
    ),
    ...verdicts.map(verdictLine),
    ...(result.effects ?? []).map((effect) => field("effect", json(effect))),
    result.failure === undefined
      ? field("content", textOf(result.content))
      : field(result.failure.kind, `${result.failure.code}: ${result.failure.message}`),
  ];
}

function verdictLine({ guard, verdict, reason }: StoredRecord["verdicts"][number]): string {
  return field("verdict", `${verdict} by ${guard}${reason === undefined ? "" : `: ${reason}`}`);
}

function stackOf({ name, message, stack = `${name}: ${message}`, cause }: ThrownError): string {
  return cause === undefined ? stack : `${stack}\ncaused by ${stackOf(cause)}`;
}

function approvalLines({ pending, decision }: ApprovalEntry): string[] {
  const by = decision !== undefined && "by" in decision ? ` by ${decision.by.id}` : "";
  const changed = decision?.decision === "approved" && decision.args !== undefined;
  return [
    field("asked", `${pending.reasons.join("; ")} (${json(pending.args)})`),
    field("answer", decision === undefined ? "none yet" : `${decision.decision}${by}, ${time(decision.at)}`),
    ...(changed ? [field("edited to", json(decision.args))] : []),
  ];
}

function field(name: string, value: string): string {
  return `${name.padEnd(10)} ${hang(11, value, roomOf("stdout"))}`;
}

function stages({ prepareMs, waitMs, runMs, settleMs }: Timing): string {
  const named = { prepare: prepareMs, wait: waitMs, run: runMs, settle: settleMs };
  return Object.entries(named)
    .map(([stage, ms]) => `${stage} ${formatDuration(ms)}`)
    .join(", ");
}

function json(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "-");
}

function time(at: number): string {
  return new Date(at).toISOString();
}
