import type { NatsConnection } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import { isAlive } from "../fleet/is-alive.ts";
import type { CallLedger, LedgerEntry } from "../wire/call-ledger.ts";
import type { FinalState, StartedState, WaitingState } from "../wire/messages.ts";
import type { PendingCall, Sent } from "./pending-call.ts";
import {
  cancelledOrphan,
  lostEntry,
  notTaken,
  orphaned,
  otherArguments,
  unreachable,
} from "./remote-failures.ts";

export interface LookoutParts {
  connection: NatsConnection;
  ledger: CallLedger;
  queueTimeoutMs: number;
  /** The calls that are out. */
  calls(): Iterable<PendingCall>;
  onFinal(pending: PendingCall, state: FinalState): void;
  onWaiting(pending: PendingCall, state: WaitingState): void;
  answer(pending: PendingCall, result: ToolResult): void;
  /** Writes an outcome over what was found, and settles the call; false when somebody else has written since. */
  end(pending: PendingCall, result: ToolResult, found: LedgerEntry | undefined): Promise<boolean>;
  send(pending: PendingCall, sent: Sent): Promise<void>;
  tellWorker(pending: PendingCall): void;
  /** No worker took a call of the tool in time. */
  onNotTaken(name: string, waitedMs: number): void;
}

const LOOK_MS = 1_000;
/** Longer than a delivery takes; then the ledger is asked, and the call submitted again if it is not there. */
const DOUBT_MS = 5_000;
/** Many may wait for long, and the server tells when they are over. */
const PARKED_MS = 30_000;
const AT_ONCE = 200;
const OWNER_PATIENCE_MS = 1_000;
/** For as long a cancelled call is waited for while the server is away. */
const CANCEL_MS = 5_000;

/**
 * The safety net: whatever was forgotten on the way, the ledger knows, and submitting again is safe. A call that no worker
 * takes, or whose worker is gone while no other takes it over, is ended here: its caller is answered, whoever is alive.
 */
export class Lookout {
  readonly #parts: LookoutParts;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #looking = new Set<PendingCall>();
  /** Whether there is a connection. */
  online = true;

  constructor(parts: LookoutParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Looks at every call that was not heard of for a while. One look that takes long keeps no other waiting. */
  look(): void {
    const now = Date.now();
    const doubtMs = Math.min(DOUBT_MS, this.#parts.queueTimeoutMs);
    for (const pending of this.#parts.calls()) {
      if (this.#looking.size >= AT_ONCE) return;
      const everyMs = pending.isUrgent ? LOOK_MS : pending.isParked ? Math.max(PARKED_MS, doubtMs) : doubtMs;
      if (now - pending.lookedAt >= everyMs) void this.lookAt(pending);
    }
  }

  /** Never rejects: what could not be done now is done at the next look. */
  async lookAt(pending: PendingCall): Promise<void> {
    if (this.#looking.has(pending)) return;
    this.#looking.add(pending);
    const now = Date.now();
    pending.lookedAt = now;
    try {
      await this.#lookAt(pending, now);
    } catch {
      // The server is away.
    } finally {
      this.#looking.delete(pending);
    }
  }

  async #lookAt(pending: PendingCall, now: number): Promise<void> {
    const found = await this.#read(pending, now);
    if (found === "unreachable") return;
    if (found === undefined && !pending.begun) await this.#lookAtWaiting(pending, now);
    else if (found === undefined || found.state.state === "lost") await this.#lookAtLost(pending, found, now);
    else if (found.state.state === "final") this.#parts.onFinal(pending, found.state);
    else if (found.state.state === "waiting") this.#lookAtParked(pending, found.state);
    else await this.#lookAtStarted(pending, found, found.state, now);
  }

  /** The entry, or word that it cannot be told now. */
  async #read(pending: PendingCall, now: number): Promise<LedgerEntry | undefined | "unreachable"> {
    try {
      const found = await this.#parts.ledger.read(pending.key);
      pending.unreadSince = undefined;
      if (found !== undefined) pending.begin(found.state.fingerprint);
      return found;
    } catch (error) {
      if (this.#isTooLong(pending, now)) this.#parts.answer(pending, unreachable(pending, error));
      return "unreachable";
    }
  }

  /**
   * A call that is in the queue is waited for, however long the server is away. One that may not be there has an open
   * outcome, and so has one whose caller does not want it any more, or whose ledger is gone from a server that is there.
   */
  #isTooLong(pending: PendingCall, now: number): boolean {
    const { queueTimeoutMs } = this.#parts;
    if (this.online) pending.unreadSince ??= now;
    if (pending.cancelledAt !== undefined && Date.now() - pending.cancelledAt >= CANCEL_MS) return true;
    if (!pending.accepted) return now - pending.submittedAt >= queueTimeoutMs;
    return this.online && pending.unreadSince !== undefined && now - pending.unreadSince >= queueTimeoutMs;
  }

  async #lookAtStarted(
    pending: PendingCall,
    found: LedgerEntry,
    state: StartedState,
    now: number,
  ): Promise<void> {
    if (pending.isOther(state.fingerprint) && !pending.mayHaveRun)
      return this.#parts.answer(pending, otherArguments(pending));
    // Of a call that is not wanted any more, whoever is slow to answer counts as gone: another must not take it over first.
    const patienceMs = pending.cancelledAt === undefined ? OWNER_PATIENCE_MS : 0;
    if (!(await isAlive(this.#parts.connection, state.worker, pending.key, patienceMs)))
      return this.#lookAtOrphan(pending, found, state, now);
    pending.orphanedAt = undefined;
    pending.unpark();
    if (pending.cancelledAt !== undefined) this.#parts.tellWorker(pending);
  }

  /** It is nobody's, and in no queue: it ends when what it waits for comes, or its time is over. */
  #lookAtParked(pending: PendingCall, state: WaitingState): void {
    if (pending.isOther(state.fingerprint) && !pending.mayHaveRun) {
      this.#parts.answer(pending, otherArguments(pending));
      return;
    }
    this.#parts.onWaiting(pending, state);
    if (pending.cancelledAt !== undefined) this.#parts.tellWorker(pending);
  }

  /** No worker has begun it. */
  async #lookAtWaiting(pending: PendingCall, now: number): Promise<void> {
    const { queueTimeoutMs, end, send, onNotTaken } = this.#parts;
    const { sent } = pending;
    if (sent === undefined) return;
    if (now - pending.submittedAt >= queueTimeoutMs) {
      const withdrawn = await end(pending, notTaken(pending, queueTimeoutMs), undefined);
      if (withdrawn) onNotTaken(pending.call.name, queueTimeoutMs);
    } else if (!pending.isPreparing && !pending.isTrusted(now)) {
      await send(pending, sent);
    }
  }

  /** Its entry was deleted or overwritten. A worker that is at it writes the outcome all the same. */
  async #lookAtLost(pending: PendingCall, found: LedgerEntry | undefined, now: number): Promise<void> {
    const { queueTimeoutMs, end, tellWorker } = this.#parts;
    pending.orphanedAt ??= now;
    if (now - pending.orphanedAt >= queueTimeoutMs) await end(pending, lostEntry(pending), found);
    else if (pending.cancelledAt !== undefined) tellWorker(pending);
  }

  /**
   * Its worker is gone. Another one has as long to take it over as one has to take a new call; then, or when its caller does
   * not want it any more, it is over.
   */
  async #lookAtOrphan(
    pending: PendingCall,
    found: LedgerEntry,
    state: StartedState,
    now: number,
  ): Promise<void> {
    const { queueTimeoutMs, end, send } = this.#parts;
    pending.orphanedAt ??= now;
    if (pending.cancelledAt !== undefined) await end(pending, cancelledOrphan(pending, state), found);
    else if (now - pending.orphanedAt >= queueTimeoutMs)
      await end(pending, orphaned(pending, state, queueTimeoutMs), found);
    else if (pending.sent !== undefined && !pending.isPreparing && !pending.isTrusted(now))
      await send(pending, pending.sent);
  }
}
