import type { CallSource } from "../call/call.ts";
import type { Deed } from "../call/effects.ts";
import type { Correlation } from "../call/events.ts";
import type { Principal } from "../call/principal.ts";
import type { ToolResult } from "../call/result.ts";
import type { WaitKind } from "../call/waiting.ts";
import { type Failure, ToolrigError } from "../failure/failure.ts";
import type { ThrownError } from "../failure/thrown.ts";
import type { MaybePromise } from "../maybe-promise.ts";

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
  /** Errors that the tool's code threw, with their stacks. */
  errors?: { attempt: number; error: ThrownError }[];
  /** What it waited for, in order. */
  waits?: { kind: WaitKind; how: string; waitedMs: number; by?: Principal }[];
  /** SHA-256 of the definition the tool had, in hex: what the model was told it does. */
  definitionHash?: string;
  /** What the tool did through calls that it made, where that is more than it declares. */
  did?: Deed;
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
  /** Approval, the ledger, limits and locks until the tool's code first ran; and what it then waited for the world. */
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
  /** What guards said after the record was stored. */
  verdicts?: CallRecord["verdicts"];
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
  #closed = false;

  constructor(capacity = 100_000) {
    this.#capacity = capacity;
  }

  /** Takes no more records; those it has can still be read. */
  close(): void {
    this.#closed = true;
  }

  /** Forgets everything, and takes records again. */
  reset(): void {
    this.#records.length = 0;
    this.#late.length = 0;
    this.#closed = false;
  }

  store(records: readonly CallRecord[]): void {
    this.#requireOpen();
    this.#records.push(...records);
    if (this.#records.length > this.#capacity) this.#records.splice(0, this.#records.length - this.#capacity);
  }

  storeLate(records: readonly LateRecord[]): void {
    this.#requireOpen();
    this.#late.push(...records);
    if (this.#late.length > this.#capacity) this.#late.splice(0, this.#late.length - this.#capacity);
  }

  #requireOpen(): void {
    if (this.#closed)
      throw new ToolrigError("STORE_FAILED", "The store is closed and takes no more records.");
  }

  records(): readonly CallRecord[] {
    return this.#records;
  }

  late(): readonly LateRecord[] {
    return this.#late;
  }
}
