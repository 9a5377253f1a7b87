import type { CallSource } from "./call.ts";
import type { Principal } from "./context.ts";
import type { CallEvent, Correlation } from "./events.ts";
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
  startTime: number;
  endTime: number;
  durationMs: number;
}

/** Where records are kept. `store` may be slow and may fail; the recorder deals with both. */
export interface CallStore {
  store(records: readonly CallRecord[]): MaybePromise<void>;
  close?(): MaybePromise<void>;
}

export class MemoryCallStore implements CallStore {
  readonly #records: CallRecord[] = [];
  readonly #capacity: number;

  constructor(capacity = 100_000) {
    this.#capacity = capacity;
  }

  store(records: readonly CallRecord[]): void {
    this.#records.push(...records);
    if (this.#records.length > this.#capacity) this.#records.splice(0, this.#records.length - this.#capacity);
  }

  records(): readonly CallRecord[] {
    return this.#records;
  }
}

/** A record from the events of one call, in the order in which they came. */
export class RecordBuilder {
  readonly #record: Partial<CallRecord> & Pick<CallRecord, "verdicts"> = { verdicts: [] };

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
    if (event.type !== "call.end") return undefined;
    const { result, args, version, startedAt, endedAt } = event;
    Object.assign(record, {
      result,
      args,
      startTime: startedAt,
      endTime: endedAt,
      durationMs: endedAt - startedAt,
    });
    if (version !== undefined) record.version = version;
    return record as CallRecord;
  }
}
