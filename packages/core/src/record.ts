import type { CallSource } from "./call.ts";
import type { Principal } from "./context.ts";
import type { CallEvent, Correlation } from "./events.ts";
import type { Failure } from "./failure.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { ToolResult } from "./result.ts";

/** One call as it is kept: secrets removed, plain data. */
export interface CallRecord extends Correlation {
  version?: string;
  source: CallSource;
  /** As the model wrote them. */
  rawArguments: unknown;
  /** As the tool got them. */
  args: unknown;
  result: ToolResult;
  /** What guards decided, in order. */
  verdicts: { guard: string; verdict: string; reason?: string }[];
  principal?: Principal;
  /** Attempts that failed and were followed by another. */
  retries?: { attempt: number; delayMs: number; failure: Failure }[];
  /** SHA-256 of the definition the tool had, in hex: what the model was told it does. */
  definitionHash?: string;
  startTime: number;
  endTime: number;
  durationMs: number;
  timing: Timing;
  /** The process died before it could record the call; this was put together from its ledger by the next one. */
  recovered?: true;
}

/** Where the time of a call went, in milliseconds. */
export interface Timing {
  /** Decoding, resolving, validating, guards. */
  prepareMs: number;
  /** Approval, the ledger, limits and locks: until the tool's code first ran. */
  waitMs: number;
  /** From its first start to the end of its last attempt. 0 when it never ran. */
  runMs: number;
  /** After-guards and spilling. */
  settleMs: number;
}

/** What a tool still gave after its call had ended: kept as evidence, part of no result. */
export interface LateRecord extends Correlation {
  /** Epoch milliseconds. */
  at: number;
  afterMs: number;
  isError: boolean;
  value?: unknown;
  message?: string;
}

/** Where records are kept. `store` may be slow and may fail; the recorder deals with both. */
export interface CallStore {
  store(records: readonly CallRecord[]): MaybePromise<void>;
  storeLate?(records: readonly LateRecord[]): MaybePromise<void>;
  close?(): MaybePromise<void>;
}

export class MemoryCallStore implements CallStore {
  readonly #records: CallRecord[] = [];
  readonly #late: LateRecord[] = [];
  readonly #capacity: number;

  constructor(capacity = 100_000) {
    this.#capacity = capacity;
  }

  store(records: readonly CallRecord[]): void {
    this.#records.push(...records);
    if (this.#records.length > this.#capacity) this.#records.splice(0, this.#records.length - this.#capacity);
  }

  storeLate(records: readonly LateRecord[]): void {
    this.#late.push(...records);
    if (this.#late.length > this.#capacity) this.#late.splice(0, this.#late.length - this.#capacity);
  }

  records(): readonly CallRecord[] {
    return this.#records;
  }

  late(): readonly LateRecord[] {
    return this.#late;
  }
}

/** A record from the events of one call, in the order in which they came. */
export class RecordBuilder {
  readonly #record: Partial<CallRecord> & Pick<CallRecord, "verdicts"> = { verdicts: [] };
  #firstRunAt: number | undefined;

  /** The finished record, once the call has ended. */
  add(event: CallEvent): CallRecord | undefined {
    const record = this.#record;
    if (event.type === "call.start") {
      const { executionId, callId, name, runId, requestId, stepName, parentId, source } = event;
      Object.assign(record, { executionId, callId, name, source, rawArguments: event.arguments });
      for (const [key, id] of Object.entries({ runId, requestId, stepName, parentId })) {
        if (id !== undefined) Object.assign(record, { [key]: id });
      }
      if (event.principal !== undefined) record.principal = event.principal;
    }
    if (event.type === "call.verdict") {
      const { guard, verdict, reason } = event;
      record.verdicts.push(reason === undefined ? { guard, verdict } : { guard, verdict, reason });
    }
    if (event.type === "call.run") this.#firstRunAt ??= event.at;
    if (event.type === "call.retry") {
      const { attempt, delayMs, failure } = event;
      record.retries ??= [];
      record.retries.push({ attempt, delayMs, failure });
    }
    if (event.type !== "call.end") return undefined;
    const { result, args, version, definitionHash, startedAt, endedAt } = event;
    Object.assign(record, {
      result,
      args,
      startTime: startedAt,
      endTime: endedAt,
      durationMs: endedAt - startedAt,
      timing: timingOf(event, this.#firstRunAt),
    });
    if (version !== undefined) record.version = version;
    if (definitionHash !== undefined) record.definitionHash = definitionHash;
    return record as CallRecord;
  }
}

function timingOf(
  { startedAt, preparedAt, endedAt, result }: Extract<CallEvent, { type: "call.end" }>,
  firstRunAt: number | undefined,
): Timing {
  const prepared = preparedAt ?? endedAt;
  const executed = Math.max(prepared, startedAt + result.durationMs);
  const ran = firstRunAt ?? executed;
  return {
    prepareMs: prepared - startedAt,
    waitMs: Math.max(0, ran - prepared),
    runMs: Math.max(0, executed - ran),
    settleMs: Math.max(0, endedAt - executed),
  };
}
