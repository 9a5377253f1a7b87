import { type CallRecord, textOf } from "@toolrig/core";
import type { LateRecord } from "@toolrig/core/kit";
import { fromJson, objectToJson, toJson } from "../database/json.ts";
import { damagedRow } from "../database/store-error.ts";

/** A body longer than this loses its largest parts, so that one call cannot fill the disk. */
const MAX_CHARACTERS = 1_000_000;
const MAX_OF_A_PART = 50_000;
const MAX_SEARCHABLE = 16_000;

/** Whether what would be kept twice is a text or the JSON of a value. */
type Same = "text" | "json";

/** A record without what follows from the rest of it. */
type Compact = Omit<CallRecord, "result" | "rawArguments"> & {
  rawArguments?: unknown;
  $raw?: Same;
  result: Partial<CallRecord["result"]> & { content: CallRecord["result"]["content"]; $value?: Same };
};

/** A record as the text that is stored and hashed, and the text that a full-text search finds it by. */
export function encodeCall(record: CallRecord): { body: string; text: string } {
  const args = toJson(record.args);
  const body = objectToJson(compact(record, args));
  if (body.length <= MAX_CHARACTERS) return { body, text: searchable(record, args) };
  const kept = shortened(record);
  return { body: objectToJson(compact(kept, toJson(kept.args))), text: searchable(kept) };
}

/** Throws `STORE_FAILED` for a body that is no record. */
export function decodeCall(body: string): CallRecord {
  const stored = fromJson(body);
  if (!isCompact(stored)) throw damagedRow("no record of a call");
  const { $raw: raw, ...record } = stored;
  const { $value: same, ...result } = record.result;
  const { callId, executionId, name, args } = record;
  const whole = { callId, executionId, name, ...result } as CallRecord["result"];
  if (same !== undefined)
    whole.value = same === "text" ? textOf(result.content) : fromJson(textOf(result.content));
  const rawArguments = raw === undefined ? record.rawArguments : raw === "json" ? toJson(args) : args;
  return { ...record, rawArguments, result: whole };
}

/** Whether the parts are there that readers of a record take for granted. */
function isCompact(stored: unknown): stored is Compact {
  const record = stored as Partial<Compact> | null | undefined;
  return (
    typeof record === "object" &&
    record !== null &&
    Array.isArray(record.result?.content) &&
    [record.executionId, record.callId, record.name].every((id) => typeof id === "string") &&
    Number.isFinite(record.endTime)
  );
}

/** What is left out is undefined, which JSON does not write: copying all but some fields takes several times as long. */
function compact(record: CallRecord, args: string | null): object {
  const { rawArguments, result } = record;
  const same = record.args === undefined ? undefined : sameArguments(rawArguments, args);
  const sameValue = sameAsContent(result);
  return {
    ...record,
    result: {
      ...result,
      callId: unless(record.callId, result.callId),
      executionId: unless(record.executionId, result.executionId),
      name: unless(record.name, result.name),
      value: sameValue === undefined ? result.value : undefined,
      $value: sameValue,
    },
    rawArguments: same === undefined ? rawArguments : undefined,
    $raw: same,
  };
}

function unless(known: string, given: string): string | undefined {
  return given === known ? undefined : given;
}

/** Undefined when the value does not follow from the text that the model reads. */
function sameAsContent({ value, content }: CallRecord["result"]): Same | undefined {
  if (value === undefined) return undefined;
  const text = textOf(content);
  if (value === text) return "text";
  return toJson(value) === text ? "json" : undefined;
}

/** Undefined when what was written does not follow from the JSON of what the tool got. */
function sameArguments(raw: unknown, args: string | null): Same | undefined {
  if (typeof raw === "string") return raw === args ? "json" : undefined;
  return typeof raw === "object" && toJson(raw) === args ? "text" : undefined;
}

export function encodeLate(late: LateRecord): string {
  const body = objectToJson(late);
  return body.length <= MAX_CHARACTERS ? body : objectToJson({ ...late, value: leftOut(late.value) });
}

/** The text that a full-text search finds a record by: the same for a record and for what was stored of it. */
export function searchable(record: CallRecord, json = toJson(record.args)): string {
  const { args, rawArguments, result, name } = record;
  const given = (typeof args === "string" ? args : json) || wordsOf(rawArguments);
  const parts = [name, given, textOf(result.content), result.failure?.message ?? ""];
  return parts.join("\n").slice(0, MAX_SEARCHABLE);
}

/** The files a call touched: what a search by path finds it by. */
export function pathsOf({ result }: CallRecord): string[] {
  const paths = new Set<string>();
  for (const effect of result.effects ?? []) {
    if (effect?.type !== "file") continue;
    for (const path of [effect.path, effect.to]) if (typeof path === "string") paths.add(path.toWellFormed());
  }
  return [...paths];
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : (toJson(value) ?? "");
}

function shortened(record: CallRecord): CallRecord {
  const { value: _, ...result } = record.result;
  const content = result.content.map((part) =>
    part.type === "text" ? { ...part, text: shortText(part.text) } : leftOut(part),
  );
  return {
    ...record,
    args: leftOut(record.args),
    rawArguments: leftOut(record.rawArguments),
    result: {
      ...result,
      content: content as typeof result.content,
      details: leftOut(result.details),
      decoded: { ...result.decoded, repairs: result.decoded.repairs.slice(0, 100) },
    },
  };
}

function leftOut(part: unknown): unknown {
  const size = toJson(part)?.length ?? 0;
  return size <= MAX_OF_A_PART ? part : `[${size} characters left out of the record]`;
}

function shortText(text: string): string {
  if (text.length <= MAX_OF_A_PART) return text;
  return `${text.slice(0, MAX_OF_A_PART)}[${text.length - MAX_OF_A_PART} characters left out of the record]`;
}
