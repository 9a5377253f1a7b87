import { isRecord } from "../is-record.ts";
import type { Redactor } from "./redact.ts";

/**
 * Fields of records, results, events and entries of stores that hold identifiers, hashes, times and counts. They join what is kept in
 * several places, so no rule rewrites them; ids that hold a secret are refused when a call is made.
 */
const IDENTIFYING: ReadonlySet<string> = new Set([
  "id",
  "executionId",
  "callId",
  "runId",
  "requestId",
  "parentId",
  "definitionHash",
  "artifact",
  "hash",
  "previousHash",
  "seq",
  "startSeq",
  "at",
  "createdAt",
  "intendedAt",
  "closedAt",
  "updatedAt",
  "nextAt",
  "startTime",
  "endTime",
  "startedAt",
  "preparedAt",
  "endedAt",
  "expiresAt",
  "durationMs",
  "afterMs",
  "waitedMs",
  "timing",
  "attempts",
]);

/** Fields that hold such a structure themselves. All others hold what models, tools and people said. */
const STRUCTURES: ReadonlySet<string> = new Set([
  "result",
  "waiting",
  "header",
  "end",
  "records",
  "late",
  "ledger",
  "approval",
]);

/** Fields that hold a principal, whose id decides whose call it is. */
const PRINCIPALS: ReadonlySet<string> = new Set(["principal", "by"]);

type Cleaner = Pick<Redactor, "value" | "principalId">;

/** A copy of a record, a result, an event or an entry of a store without its secrets. Identifiers, hashes and times stay as they are. */
export function redactFact<Fact>(redactor: Cleaner, fact: Fact): Fact {
  return joined(redactor.value(said(fact)), fact, redactor) as Fact;
}

/** The same without identifiers. */
function said(fact: unknown): unknown {
  if (Array.isArray(fact)) return fact.map(said);
  if (!isRecord(fact)) return fact;
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(fact))
    if (!isKept(key, fact)) rest[key] = STRUCTURES.has(key) ? said(fact[key]) : fact[key];
  return rest;
}

/** What is clean, with the identifiers of the fact in their places. */
function joined(clean: unknown, fact: unknown, redactor: Cleaner): unknown {
  if (Array.isArray(fact) && Array.isArray(clean))
    return fact.map((each, index) => joined(clean[index], each, redactor));
  if (!isRecord(fact) || !isRecord(clean)) return clean;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(fact)) {
    if (isKept(key, fact)) copy[key] = fact[key];
    else if (PRINCIPALS.has(key)) copy[key] = withId(clean[key], fact[key], redactor);
    else copy[key] = STRUCTURES.has(key) ? joined(clean[key], fact[key], redactor) : clean[key];
  }
  return copy;
}

/** A clean principal under its own id. */
function withId(clean: unknown, principal: unknown, redactor: Cleaner): unknown {
  if (!isRecord(clean) || !isRecord(principal) || typeof principal.id !== "string") return clean;
  return { ...clean, id: redactor.principalId(principal.id) };
}

function isKept(key: string, fact: Readonly<Record<string, unknown>>): boolean {
  return key === "name" ? namesTool(fact) : IDENTIFYING.has(key);
}

/** The name of a tool joins, too, unless no tool has it: then a model made it up. An event may come before that is known. */
function namesTool(fact: Readonly<Record<string, unknown>>): boolean {
  const { failure } = isRecord(fact.result) ? fact.result : fact;
  return fact.type === undefined && (!isRecord(failure) || failure.code !== "TOOL_NOT_FOUND");
}
