import type { StoredRecord } from "./records.ts";

/** One record a line, as JSON. */
export function* toNdjson(records: Iterable<StoredRecord>): Iterable<string> {
  for (const record of records) yield `${JSON.stringify(record)}\n`;
}

const COLUMNS: readonly (readonly [string, (record: StoredRecord) => unknown])[] = [
  ["seq", ({ seq }) => seq],
  ["ended_at", ({ endTime }) => new Date(endTime).toISOString()],
  ["tool", ({ name }) => name],
  ["version", ({ version }) => version],
  ["ok", ({ result }) => !result.isError],
  ["kind", ({ result }) => result.failure?.kind],
  ["code", ({ result }) => result.failure?.code],
  ["message", ({ result }) => result.failure?.message],
  ["duration_ms", ({ durationMs }) => durationMs],
  ["attempts", ({ result }) => result.attempts],
  ["source", ({ source }) => source],
  ["principal", ({ principal }) => principal?.id],
  ["run_id", ({ runId }) => runId],
  ["request_id", ({ requestId }) => requestId],
  ["execution_id", ({ executionId }) => executionId],
  ["call_id", ({ callId }) => callId],
  ["parent_id", ({ parentId }) => parentId],
  ["arguments", ({ args, rawArguments }) => JSON.stringify(args ?? rawArguments)],
  ["effects", ({ result }) => (result.effects === undefined ? undefined : JSON.stringify(result.effects))],
  ["definition_hash", ({ definitionHash }) => definitionHash],
  ["hash", ({ hash }) => hash],
];

/** The columns that fit into a table, with a header, as in RFC 4180. */
export function* toCsv(records: Iterable<StoredRecord>): Iterable<string> {
  yield `${COLUMNS.map(([name]) => name).join(",")}\r\n`;
  for (const record of records) yield `${COLUMNS.map(([, read]) => cell(read(record))).join(",")}\r\n`;
}

/** Text that a spreadsheet would run as a formula gets an apostrophe before it. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
