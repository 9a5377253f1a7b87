import { type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { type CallEvent, isThenable, type ToolCall, type ToolResult } from "@toolrig/core";
import { type AckedPublisher, PublishError } from "./acked-publisher.ts";
import type { CallJournal, JournalRead } from "./call-journal.ts";
import { keyPrefix, SUBJECT } from "./names.ts";
import type { Payloads } from "./payload.ts";
import {
  abandoned,
  cancelled,
  forbidden,
  notTaken,
  otherArguments,
  refused,
  unreachable,
  unreadable,
} from "./remote-failures.ts";
import { type FinalState, fingerprintOf, readState } from "./wire.ts";
import { isAlive } from "./worker/presence.ts";

/** A call on its way. */
export interface Submission {
  executionId: string;
  key: string;
  call: ToolCall;
  subject: string;
  body: string;
  signal: AbortSignal | undefined;
  /** It may have been made before, so the journal is asked first. */
  known: boolean;
}

interface Pending {
  executionId: string;
  key: string;
  call: ToolCall;
  fingerprint: string | undefined;
  /** Absent for a call that somebody else submitted. */
  sent: { subject: string; body: string } | undefined;
  submittedAt: number;
  lookedAt: number;
  /** The queue has it, or a worker does. */
  accepted: boolean;
  /** Until then what the queue accepted is trusted to be there; after each submission for twice as long. */
  trustedUntil: number;
  trustMs: number;
  /** Its worker was told to stop, and is told again until it has. */
  cancelled: boolean;
  attempt: number;
  updates: number;
  /** Everybody who waits for it. */
  waiting: ((result: ToolResult) => void)[];
}

export interface RemoteCallParts {
  connection: NatsConnection;
  publisher: AckedPublisher;
  journal: CallJournal;
  payloads: Payloads;
  queueTimeoutMs: number;
  onEvent(event: CallEvent): void;
  /** No worker took a call of the tool in time. */
  onNotTaken(name: string, waitedMs: number): void;
}

const LOOK_MS = 1_000;
/** Longer than a delivery takes; then the journal is asked, and the call submitted again if it is not there. */
const DOUBT_MS = 5_000;
/** `{"state":"started"…` is half of what is republished, and of no interest here: one byte tells it. */
const STATE_AT = '{"state":"'.length;
const STARTED = "s".charCodeAt(0);
const SEND_AGAIN_MS = 250;
/** A queue that accepted a call loses it only in a disaster. Copies are harmless, and still not free. */
const TRUST_MS = 30_000;
const UPDATES: ReadonlySet<string> = new Set(["call.update", "call.log", "call.retry"]);

/**
 * The calls of this process that are out. Each is settled once, by its final journal entry: as the server republishes it,
 * or as it is found when something was missed.
 */
export class RemoteCalls {
  readonly #parts: RemoteCallParts;
  readonly #pending = new Map<string, Pending>();
  readonly #prefixes = new Set<string>();
  readonly #looker: ReturnType<typeof setInterval>;
  #looking = false;

  constructor(parts: RemoteCallParts) {
    this.#parts = parts;
    this.#looker = setInterval(() => void this.#look(), LOOK_MS);
    this.#looker.unref();
    void this.#watchConnection();
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Never rejects. */
  run(submission: Submission): Promise<ToolResult> {
    const { executionId, key, call, subject, body, signal, known } = submission;
    const fingerprint = fingerprintOf(call);
    const same = this.#pending.get(key);
    if (same !== undefined) {
      if (same.fingerprint !== undefined && same.fingerprint !== fingerprint)
        return Promise.resolve(otherArguments(submission));
      return this.#join(same).then((result) => ({ ...result, callId: call.id }));
    }
    return new Promise((resolve) => {
      const pending = this.#add(
        { executionId, key, call, fingerprint, sent: { subject, body } },
        (result) => {
          signal?.removeEventListener("abort", onAbort);
          resolve(result);
        },
      );
      const onAbort = () => void this.#cancel(pending);
      signal?.addEventListener("abort", onAbort, { once: true });
      void this.#submit(pending, known);
    });
  }

  /** The outcome of a call that is under way, whoever made it. Undefined when the journal does not know it. */
  async outcomeOf(executionId: string, key: string, signal?: AbortSignal): Promise<ToolResult | undefined> {
    const { journal, payloads } = this.#parts;
    const same = this.#pending.get(key);
    if (same !== undefined) return this.#join(same);
    const call: ToolCall = { id: executionId, name: "" };
    let pending: Pending | undefined;
    // Listens before it looks, so that an end in between is not missed.
    const result = new Promise<ToolResult>((resolve) => {
      pending = this.#add({ executionId, key, call, fingerprint: undefined, sent: undefined }, resolve);
    });
    const known = await journal.read(key).catch(() => undefined);
    if (known === undefined || known.state.state === "final") {
      if (this.#pending.get(key) === pending) this.#pending.delete(key);
      return known === undefined ? undefined : payloads.resultOf(known.state as FinalState);
    }
    const onAbort = () => this.#settle(pending!, cancelled(pending!, "while it was waited for; it goes on"));
    signal?.addEventListener("abort", onAbort, { once: true });
    return result.finally(() => signal?.removeEventListener("abort", onAbort));
  }

  /** Nothing is waited for any more. What is out may still run. */
  close(): void {
    clearInterval(this.#looker);
    for (const pending of [...this.#pending.values()]) {
      this.#settle(pending, abandoned(pending));
    }
  }

  #add(
    of: Pick<Pending, "executionId" | "key" | "call" | "fingerprint" | "sent">,
    resolve: (result: ToolResult) => void,
  ): Pending {
    const now = Date.now();
    const pending: Pending = {
      ...of,
      submittedAt: now,
      lookedAt: now,
      accepted: false,
      trustedUntil: 0,
      trustMs: TRUST_MS,
      cancelled: false,
      attempt: 0,
      updates: 0,
      waiting: [resolve],
    };
    this.#listen(keyPrefix(of.key));
    this.#pending.set(of.key, pending);
    return pending;
  }

  #join(pending: Pending): Promise<ToolResult> {
    return new Promise((resolve) => pending.waiting.push(resolve));
  }

  async #submit(pending: Pending, known: boolean): Promise<void> {
    try {
      if (known && (await this.#settleKnown(pending))) return;
      const { subject, body } = pending.sent!;
      const { payloads } = this.#parts;
      const sent = payloads.fits(body) ? body : await payloads.fit(`${pending.key}/call`, body);
      pending.sent = { subject, body: sent };
      await this.#send(pending);
    } catch (error) {
      this.#settle(pending, refused(pending, error));
    }
  }

  /**
   * A queue without a leader takes nothing for a moment. When no answer came, the journal will tell, or the call is sent
   * again: of two copies in the queue one runs.
   */
  async #send(pending: Pending): Promise<void> {
    const { publisher, queueTimeoutMs } = this.#parts;
    const { subject, body } = pending.sent!;
    while (this.#pending.get(pending.key) === pending) {
      try {
        await publisher.publish(subject, body);
        pending.accepted = true;
        pending.trustedUntil = Date.now() + pending.trustMs;
        pending.trustMs *= 2;
        return;
      } catch (error) {
        if (!(error instanceof PublishError) || !error.isUncertain) throw error;
        const late = Date.now() - pending.submittedAt >= queueTimeoutMs;
        if (error.code === 0 || late || publisher.closed) return;
        await new Promise((resolve) => setTimeout(resolve, SEND_AGAIN_MS));
      }
    }
  }

  /** One subscription for all executions that share a prefix: results, and progress. */
  #listen(prefix: string): void {
    if (this.#prefixes.has(prefix)) return;
    this.#prefixes.add(prefix);
    const { connection } = this.#parts;
    connection.subscribe(`${SUBJECT.result}.${prefix}.*`, {
      callback: (_error, message) => {
        if (message.data[STATE_AT] === STARTED) return;
        const pending = this.#pending.get(message.subject.slice(SUBJECT.result.length + 1));
        if (pending !== undefined) this.#advance(pending, message.string());
      },
    });
    connection.subscribe(`${SUBJECT.update}.${prefix}.*`, {
      callback: (_error, message) => {
        const pending = this.#pending.get(message.subject.slice(SUBJECT.update.length + 1));
        if (pending !== undefined) this.#progress(pending, message.string());
      },
    });
  }

  #advance(pending: Pending, text: string): void {
    try {
      const state = readState(text);
      if (state.state === "final") this.#finish(pending, state);
    } catch {
      // Not an entry of ours; the journal is asked in time.
    }
  }

  #finish(pending: Pending, state: FinalState): void {
    const { call, fingerprint, sent } = pending;
    if (fingerprint !== undefined && state.fingerprint !== fingerprint) {
      this.#settle(pending, otherArguments(pending));
      return;
    }
    const take = (result: ToolResult) =>
      this.#settle(pending, sent === undefined ? result : { ...result, callId: call.id });
    const result = this.#parts.payloads.resultOf(state);
    if (isThenable(result))
      void Promise.resolve(result).then(take, (error) => this.#settle(pending, unreadable(pending, error)));
    else take(result);
  }

  /** In order, each once: a worker numbers its updates, and those of a later attempt replace an earlier one's. */
  #progress(pending: Pending, text: string): void {
    try {
      const { attempt, n, event } = JSON.parse(text) as { attempt: number; n: number; event: CallEvent };
      if (event.executionId !== pending.executionId || !UPDATES.has(event.type)) return;
      if (attempt < pending.attempt || (attempt === pending.attempt && n <= pending.updates)) return;
      pending.attempt = attempt;
      pending.updates = n;
      this.#parts.onEvent(event);
    } catch {
      // Whatever it was, it was not progress.
    }
  }

  #settle(pending: Pending, result: ToolResult): void {
    if (this.#pending.get(pending.key) !== pending) return;
    this.#pending.delete(pending.key);
    for (const resolve of pending.waiting) resolve(result);
  }

  /** If the cancellation is in the journal first, the call never runs; otherwise its worker is told. */
  async #cancel(pending: Pending): Promise<void> {
    const withdrawn = await this.#withdraw(pending, cancelled(pending, "before it ran")).catch(() => false);
    pending.cancelled = !withdrawn;
    if (!withdrawn) this.#tellWorker(pending);
  }

  #tellWorker({ key }: Pending): void {
    const { connection } = this.#parts;
    if (!connection.isClosed()) connection.publish(`${SUBJECT.cancel}.${key}`);
  }

  async #withdraw(pending: Pending, result: ToolResult): Promise<boolean> {
    const { journal, payloads } = this.#parts;
    const entry = await payloads.entry(pending.key, pending.fingerprint ?? "", result);
    if ((await journal.write(pending.key, entry, 0)) === undefined) return false;
    this.#settle(pending, result);
    return true;
  }

  /** The safety net: whatever was forgotten on the way, the journal knows, and submitting again is safe. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const now = Date.now();
    const doubtMs = Math.min(DOUBT_MS, this.#parts.queueTimeoutMs);
    const due = [...this.#pending.values()].filter(({ lookedAt }) => now - lookedAt >= doubtMs);
    for (let index = 0; index < due.length; index += 50)
      await Promise.all(
        due.slice(index, index + 50).map((pending) => this.#lookAt(pending, now).catch(() => {})),
      );
    this.#looking = false;
  }

  async #lookAt(pending: Pending, now: number): Promise<void> {
    pending.lookedAt = now;
    const known = await this.#read(pending, now);
    if (known === "unreachable") return;
    if (known?.state.state === "final") return this.#finish(pending, known.state);
    if (pending.cancelled) this.#tellWorker(pending);
    if (pending.sent === undefined) return;
    if (known === undefined && now - pending.submittedAt >= this.#parts.queueTimeoutMs) {
      await this.#giveUp(pending);
    } else if (now >= pending.trustedUntil && !(known && (await this.#isOwned(known, pending.key)))) {
      await this.#send(pending);
    }
  }

  /** A call that is in the queue is waited for, however long the server is away. One that may not be has an open outcome. */
  async #read(pending: Pending, now: number): Promise<JournalRead | undefined | "unreachable"> {
    try {
      const known = await this.#parts.journal.read(pending.key);
      if (known !== undefined) pending.accepted = true;
      return known;
    } catch (error) {
      if (pending.accepted || now - pending.submittedAt < this.#parts.queueTimeoutMs) return "unreachable";
      this.#settle(pending, unreachable(pending, error));
      return "unreachable";
    }
  }

  async #isOwned({ state }: JournalRead, key: string): Promise<boolean> {
    return state.state === "started" && isAlive(this.#parts.connection, state.worker, key, 1_000);
  }

  async #settleKnown(pending: Pending): Promise<boolean> {
    const known = await this.#parts.journal.read(pending.key).catch(() => undefined);
    if (known?.state.state !== "final") return false;
    this.#finish(pending, known.state);
    return true;
  }

  async #giveUp(pending: Pending): Promise<void> {
    const { queueTimeoutMs, onNotTaken } = this.#parts;
    const withdrawn = await this.#withdraw(pending, notTaken(pending, queueTimeoutMs));
    if (withdrawn) onNotTaken(pending.call.name, queueTimeoutMs);
  }

  /** The server says so later and elsewhere, so it is put together here with the calls that it is about. */
  #forbidden(error: Error): void {
    if (!(error instanceof PermissionViolationError) || error.operation !== "publish") return;
    for (const pending of [...this.#pending.values()]) {
      if (pending.sent?.subject !== error.subject || pending.accepted) continue;
      this.#settle(pending, forbidden(pending, error.subject));
    }
  }

  async #watchConnection(): Promise<void> {
    for await (const status of this.#parts.connection.status()) {
      if (status.type === "error") this.#forbidden(status.error);
      if (status.type !== "reconnect") continue;
      for (const pending of this.#pending.values()) pending.lookedAt = pending.trustedUntil = 0;
      void this.#look();
    }
  }
}
