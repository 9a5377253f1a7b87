import type { CallEvent } from "../call/events.ts";
import type { ToolResult } from "../call/result.ts";
import { defined } from "../defined.ts";
import type { CallRecord, Timing } from "../stores/records.ts";

/** A record from the events of one call, in the order in which they came. */
export class RecordBuilder {
  readonly #record: Partial<CallRecord> & Pick<CallRecord, "verdicts"> = { verdicts: [] };
  #firstAttemptAt: number | undefined;
  #waitedMs = 0;
  #verdictsOnRecord = 0;

  /** What is recorded as the result so far. */
  get result(): ToolResult | undefined {
    return this.#record.result;
  }

  /** What guards have said since the call was settled: a record that is stored by then lacks it. */
  get saidSince(): CallRecord["verdicts"] {
    return this.#record.verdicts.slice(this.#verdictsOnRecord);
  }

  /** The record, once the call is over: one object, completed when the call ends. */
  add(event: CallEvent): CallRecord | undefined {
    const record = this.#record;
    if (event.type === "call.start") this.#start(event);
    if (event.type === "call.verdict") {
      const { guard, verdict, reason } = event;
      record.verdicts.push(reason === undefined ? { guard, verdict } : { guard, verdict, reason });
    }
    if (event.type === "call.resumed") this.#resume(event);
    if (event.type === "call.attempt") this.#firstAttemptAt ??= event.at;
    if (event.type === "call.retry") {
      const { attempt, delayMs, failure } = event;
      record.retries ??= [];
      record.retries.push({ attempt, delayMs, failure });
    }
    if (event.type === "call.error") {
      record.errors ??= [];
      record.errors.push({ attempt: event.attempt, error: event.error });
    }
    if (event.type !== "call.end" && event.type !== "call.settled") return undefined;
    const { result, args, version, definitionHash } = event;
    if (event.type === "call.settled") this.#verdictsOnRecord = record.verdicts.length;
    record.result = result;
    record.args = args;
    // Of a call that was over before its batch, the time until the others were is not its own.
    if (record.timing === undefined) this.#time(event);
    if (version !== undefined) record.version = version;
    if (definitionHash !== undefined) record.definitionHash = definitionHash;
    if (event.did !== undefined) record.did = event.did;
    return record as CallRecord;
  }

  #start(event: Extract<CallEvent, { type: "call.start" }>): void {
    const { runId, requestId, stepName, parentId, principal } = event;
    const record = this.#record;
    record.executionId = event.executionId;
    record.callId = event.callId;
    record.name = event.name;
    record.source = event.source;
    record.rawArguments = event.arguments;
    if (runId !== undefined) record.runId = runId;
    if (requestId !== undefined) record.requestId = requestId;
    if (stepName !== undefined) record.stepName = stepName;
    if (parentId !== undefined) record.parentId = parentId;
    if (principal !== undefined) record.principal = principal;
  }

  #time(event: Extract<CallEvent, { type: "call.end" | "call.settled" }>): void {
    const { startedAt, endedAt } = event;
    const record = this.#record;
    record.startTime = startedAt;
    record.endTime = endedAt;
    record.durationMs = endedAt - startedAt;
    record.timing = timingOf(event, this.#firstAttemptAt, this.#waitedMs);
  }

  /** A wait is over. That of a call which was parked elsewhere comes with what had been told of it. */
  #resume(event: Extract<CallEvent, { type: "call.resumed" }>): void {
    const { story, waitedMs, type: _, ...known } = event;
    if (story !== undefined) {
      const { rawArguments: given, source, principal, attemptedAt, facts } = story;
      const start = { type: "call.start", arguments: given, source } as const;
      this.add({ ...known, ...start, ...defined({ principal }) });
      for (const fact of facts) this.add({ ...known, ...fact });
      this.#firstAttemptAt = attemptedAt;
    }
    const { waiting, how, by } = event;
    this.#record.waits ??= [];
    this.#record.waits.push({ kind: waiting.kind, how, waitedMs, ...defined({ by }) });
    // Before the tool first ran, waiting is counted with the other things that kept it from running.
    if (this.#firstAttemptAt !== undefined) this.#waitedMs += waitedMs;
  }
}

function timingOf(
  { startedAt, preparedAt, endedAt, result }: Extract<CallEvent, { type: "call.end" | "call.settled" }>,
  firstAttemptAt: number | undefined,
  waitedMs: number,
): Timing {
  const prepared = preparedAt ?? startedAt + result.durationMs;
  const executed = Math.max(prepared, startedAt + result.durationMs);
  const ran = firstAttemptAt ?? executed;
  return {
    prepareMs: prepared - startedAt,
    waitMs: Math.max(0, ran - prepared) + waitedMs,
    runMs: Math.max(0, executed - ran - waitedMs),
    settleMs: Math.max(0, endedAt - executed),
  };
}
