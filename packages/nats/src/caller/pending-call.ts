import type { ToolCall, ToolResult, TraceCarrier } from "@toolrig/core";
import type { WaitingState } from "../wire/messages.ts";
import type { SignatureFields } from "../wire/signature.ts";

/** What a call that is out begins with. */
export interface Outgoing {
  executionId: string;
  key: string;
  call: ToolCall;
  fingerprint: string | undefined;
  /** Absent for a call that somebody else submitted. */
  sent: Sent | undefined;
}

/** What a caller is told of a call that waits for the world. */
export type ParkedResult = WaitingState["result"];

/** What its caller sends, perhaps again. */
export interface Sent {
  subject: string;
  body: string;
  /** Goes in the headers. */
  trace: TraceCarrier | undefined;
  /** Of the body as it was before it was kept elsewhere. Goes in the headers, too. */
  signature: SignatureFields | undefined;
}

/** Somebody who waits for a call. */
export interface Waiter {
  onAnswered(result: ToolResult): void;
  /** Told, with what the call waits for, each time it is parked. */
  onParked(result: ParkedResult): void;
  onAllowed?: (() => void) | undefined;
}

const NOBODY: readonly Waiter[] = [];

/** A queue that accepted a call loses it only in a disaster. Copies are harmless, and still not free. */
const TRUST_MS = 30_000;

/** A call that is out, as its caller knows it. */
export class PendingCall implements Outgoing {
  readonly executionId: string;
  readonly key: string;
  readonly call: ToolCall;
  readonly fingerprint: string | undefined;
  sent: Sent | undefined;
  readonly submittedAt = Date.now();
  lookedAt = this.submittedAt;
  /** It may have been made before, in another process. */
  isKnown = false;
  /** What is to be sent of it is not known yet: what does not fit a message is kept first. */
  isPreparing = false;
  /** Since when its worker is told to stop, again and again until it has. */
  cancelledAt: number | undefined;
  /** Its result is being read. */
  finishing = false;
  /** Since when the ledger cannot be read although there is a connection. */
  unreadSince: number | undefined;
  /** Since when its worker is known to be gone. */
  orphanedAt: number | undefined;
  /** It was over before it was asked for. */
  wasOver = false;
  #waiters: readonly Waiter[] = NOBODY;
  #parked: ParkedResult | undefined;
  /** Ids of all that it waited for. */
  #waitedFor: Set<string> | undefined;
  #over: (() => void) | undefined;
  #accepted = false;
  #begun = false;
  #mayHaveRun = false;
  #begunAs: string | undefined;
  #hearsay: (() => string | undefined) | undefined;
  /** So many times it was sent and not refused. */
  #copies = 0;
  #trustMs = TRUST_MS;
  #trustedUntil = 0;
  #attempt = 0;
  #updates = 0;

  constructor({ executionId, key, call, fingerprint, sent }: Outgoing) {
    this.executionId = executionId;
    this.key = key;
    this.call = call;
    this.fingerprint = fingerprint;
    this.sent = sent;
  }

  /** Everybody who waits is told the same. If it is parked, that at once. */
  join(waiter: Waiter): void {
    this.#waiters = [...this.#waiters, waiter];
    if (this.#parked !== undefined) waiter.onParked(this.#parked);
  }

  /** Who was told does not wait any longer. True when nobody does. */
  leave(waiter: Waiter): boolean {
    this.#waiters = this.#waiters.filter((each) => each !== waiter);
    if (this.#waiters.length > 0) return false;
    this.#over?.();
    return true;
  }

  /** Called once nobody waits for it any more. */
  onOver(clear: () => void): void {
    this.#over = clear;
  }

  /** A worker gave it up: it waits for the world. */
  park(result: ParkedResult): void {
    // What it waited for before it waits for what it does now was read too early.
    if (this.#parked !== undefined && this.#waitedFor?.has(result.waiting.id)) return;
    this.#waitedFor ??= new Set();
    this.#waitedFor.add(result.waiting.id);
    this.#parked = result;
    this.orphanedAt = undefined;
    for (const waiter of this.#waiters) waiter.onParked(result);
  }

  /** The guards of its worker have let it pass. */
  allow(): void {
    for (const waiter of this.#waiters) waiter.onAllowed?.();
  }

  /** A worker is at it again. */
  unpark(): void {
    this.#parked = undefined;
  }

  get isParked(): boolean {
    return this.#parked !== undefined;
  }

  answer(result: ToolResult): void {
    const ran = result.attempts > 0 || result.failure?.kind === "unknown";
    const told: ToolResult = this.wasOver && ran ? { ...result, attempts: 0, replayed: true } : result;
    this.#over?.();
    for (const waiter of this.#waiters) waiter.onAnswered(told);
  }

  /** A copy of it is on its way to the queue. */
  send(): void {
    this.#copies += 1;
  }

  /** The queue did not take that copy, and will not. */
  refuse(): void {
    this.#copies -= 1;
  }

  /** The queue may have it: a copy is on its way, or was never answered. */
  get doubtful(): boolean {
    return this.#copies > 0;
  }

  /** The queue may have it from an earlier time than the last. */
  get wasSentBefore(): boolean {
    return this.isKnown || this.#copies > 1;
  }

  /** The queue took it, and is trusted to have it: after each submission for twice as long. */
  accept(): void {
    this.#accepted = true;
    this.#trustedUntil = Date.now() + this.#trustMs;
    this.#trustMs *= 2;
  }

  /** The ledger has an entry of the execution. Without a fingerprint it does not say of which call. */
  begin(fingerprint: string | undefined): void {
    this.#begun = true;
    this.#begunAs ??= fingerprint;
    if (!this.isOther(fingerprint)) this.#mayHaveRun = true;
  }

  /** Whether an entry is that of a call with other arguments. */
  isOther(fingerprint: string | undefined): boolean {
    return this.fingerprint !== undefined && fingerprint !== undefined && fingerprint !== this.fingerprint;
  }

  /**
   * A message says that a worker began a call, and which: its fingerprint, unless it is not so. That is found out when somebody
   * wants to know: reading a message and its headers costs more than most calls leave time to ask for.
   */
  hear(startOf: () => string | undefined): void {
    if (!this.mayHaveRun) this.#hearsay = startOf;
  }

  /** A worker began the execution: this call, or another under its id. */
  get begun(): boolean {
    this.#believe();
    return this.#begun;
  }

  /** It may be this call that was begun. */
  get mayHaveRun(): boolean {
    this.#believe();
    return this.#mayHaveRun;
  }

  /** The fingerprint of the call that was begun, as far as it was seen. */
  get begunAs(): string | undefined {
    this.#believe();
    return this.#begunAs;
  }

  #believe(): void {
    const startOf = this.#hearsay;
    if (startOf === undefined) return;
    this.#hearsay = undefined;
    const fingerprint = startOf();
    if (fingerprint !== undefined) this.begin(fingerprint);
  }

  /** The queue has it, or a worker does. */
  get accepted(): boolean {
    return this.#accepted || this.begun;
  }

  /** The server may be another one: what it said counts no more, and the ledger is asked at once. */
  doubt(): void {
    this.lookedAt = 0;
    this.unreadSince = undefined;
    this.#trustedUntil = 0;
  }

  /** Whether it is looked at more often than others. */
  get isUrgent(): boolean {
    return this.cancelledAt !== undefined || this.orphanedAt !== undefined;
  }

  isTrusted(now: number): boolean {
    return now < this.#trustedUntil;
  }

  /** Whether an update is later than all before it: a worker numbers its own, and a later attempt begins anew. */
  isNews(attempt: number, n: number): boolean {
    if (attempt < this.#attempt || (attempt === this.#attempt && n <= this.#updates)) return false;
    this.#attempt = attempt;
    this.#updates = n;
    return true;
  }
}
