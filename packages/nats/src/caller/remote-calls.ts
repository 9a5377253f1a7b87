import { type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { type CallEvent, type ToolCall, type ToolResult, ToolrigError } from "@toolrig/core";
import { isThenable, messageOf, newId } from "@toolrig/core/kit";
import type { AckedPublisher } from "../wire/acked-publisher.ts";
import type { CallLedger, LedgerEntry } from "../wire/call-ledger.ts";
import { accepted } from "../wire/listen.ts";
import {
  ALLOWED,
  type FinalState,
  fingerprintOf,
  UNKNOWN_CALL,
  type WaitingState,
} from "../wire/messages.ts";
import { keyOf } from "../wire/names.ts";
import type { Payloads } from "../wire/payload.ts";
import type { Signer } from "../wire/signature.ts";
import { cancelCall, tellWorker } from "./cancel-call.ts";
import { Lookout } from "./lookout.ts";
import type { PendingCall, Sent } from "./pending-call.ts";
import { PendingCalls } from "./pending-calls.ts";
import {
  abandoned,
  closed,
  cutOff,
  forbidden,
  lostEntry,
  otherArguments,
  refused,
  replaced,
  unreadable,
} from "./remote-failures.ts";
import { ResultFeed, type Update } from "./result-feed.ts";
import { sendCall, type Ways } from "./send-call.ts";
import type { Asking, Submission } from "./submission.ts";

export interface RemoteCallParts {
  connection: NatsConnection;
  publisher: AckedPublisher;
  ledger: CallLedger;
  payloads: Payloads;
  queueTimeoutMs: number;
  signer: Signer | undefined;
  /** Whether the fleet's queue is there, with a leader and all its replicas; false when it does not answer. */
  hasQueue(): Promise<boolean>;
  /** Whether the server is one of several. */
  isInCluster(): boolean;
  onEvent(event: CallEvent): void;
  /** No worker took a call of the tool in time. */
  onNotTaken(name: string, waitedMs: number): void;
}

const UPDATES: ReadonlySet<string> = new Set(["call.update", "call.log", "call.retry"]);

/**
 * The calls of this process that are out. Each is answered once, by its final ledger entry: as the server republishes it,
 * or as it is found when something was missed.
 */
export class RemoteCalls {
  readonly #parts: RemoteCallParts;
  readonly #pending = new PendingCalls();
  readonly #feed: ResultFeed;
  readonly #lookout: Lookout;
  readonly #ways: Ways;
  #closed = false;

  constructor(parts: RemoteCallParts) {
    this.#parts = parts;
    this.#feed = new ResultFeed(parts.connection, {
      pending: (key) => this.#pending.any(key),
      isGenuine: (key, message) => parts.ledger.isEntryOf(key, message),
      onFinal: (pending, state) => this.#onFinal(pending, state),
      onWaiting: (pending, state) => this.#onWaiting(pending, state),
      onUpdate: (pending, update) => this.#onUpdate(pending, update),
    });
    this.#ways = {
      ...parts,
      isOut: (pending) => this.#pending.isOut(pending),
      answer: (pending, result) => this.#answer(pending, result),
      end: (pending, result) => this.#end(pending, result),
    };
    this.#lookout = new Lookout({
      ...parts,
      calls: () => this.#pending.all(),
      onFinal: (pending, state) => this.#finish(pending, state),
      onWaiting: (pending, state) => this.#onWaiting(pending, state),
      answer: (pending, result) => this.#answer(pending, result),
      end: (pending, result, found) => this.#end(pending, result, found),
      send: (pending, sent) => this.#send(pending, sent),
      tellWorker: (pending) => tellWorker(parts, pending),
    });
    void this.#watchConnection();
    void parts.connection.closed().then((error) => this.#abandon((pending) => cutOff(pending, error)));
  }

  /** Throws `CONFIG_INVALID` when the results of calls that are made under no id of their own cannot be heard. */
  async ready(caller: string | undefined): Promise<void> {
    this.#feed.listen(keyOf(newId("exec"), caller));
    await accepted(this.#parts.connection, this.#feed.refusals);
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Never rejects. */
  run(submission: Submission): Promise<ToolResult> {
    const { executionId, key, call, subject, body, trace, signal, known, waits } = submission;
    if (this.#closed) return Promise.resolve(closed(submission));
    const fingerprint = fingerprintOf(call);
    const same = this.#pending.out(key);
    if (same !== undefined) {
      if (same.fingerprint !== fingerprint) return Promise.resolve(otherArguments(submission));
      return this.#pending.join(same, { signal, waits }).then((result) => ({ ...result, callId: call.id }));
    }
    const signature = this.#parts.signer?.sign(subject, body);
    const sent = { subject, body, trace, signature };
    this.#feed.listen(key);
    const pending = this.#pending.add({ executionId, key, call, fingerprint, sent });
    if (signal !== undefined) this.#cancelOn(signal, pending);
    const result = this.#pending.join(pending, { signal: undefined, waits });
    const submitting = known ? this.#submit(pending, sent) : this.#send(pending, sent);
    submitting.catch((error) => this.#refuse(pending, error));
    return result;
  }

  /**
   * The outcome of a call that is under way, whoever made it. Undefined when the ledger does not know it. Throws
   * `STORE_FAILED` when the ledger cannot be asked.
   */
  async outcomeOf(executionId: string, key: string, asking: Asking): Promise<ToolResult | undefined> {
    const same = this.#pending.any(key);
    if (same !== undefined) return this.#pending.join(same, asking);
    const known = await this.entryOf(executionId, key);
    return known === undefined ? undefined : this.#await(executionId, key, known, asking);
  }

  /** The same for who makes the call again: the outcome of a call with other arguments is none of this one's. */
  async outcomeOfSame(
    call: ToolCall,
    executionId: string,
    key: string,
    asking: Asking,
  ): Promise<ToolResult | undefined> {
    const own = fingerprintOf(call);
    const same = this.#pending.out(key);
    if (same !== undefined)
      return same.isOther(own) ? otherArguments({ call, executionId }) : this.#pending.join(same, asking);
    const known = await this.entryOf(executionId, key);
    if (known === undefined) return undefined;
    const { fingerprint = UNKNOWN_CALL } = known.state;
    if (fingerprint !== UNKNOWN_CALL && fingerprint !== own) return otherArguments({ call, executionId });
    return this.#await(executionId, key, known, asking);
  }

  /** Writes the outcome of a call that no worker has begun; false when somebody has written since, or before. */
  async withdraw(call: ToolCall, key: string, result: ToolResult): Promise<boolean> {
    const { ledger, payloads } = this.#parts;
    const entry = await payloads.entry(key, fingerprintOf(call), result);
    return (await ledger.write(key, entry, 0)) !== undefined;
  }

  #await(executionId: string, key: string, known: LedgerEntry, asking: Asking): Promise<ToolResult> {
    const pending = this.#pending.ask(executionId, key);
    const result = this.#pending.join(pending, asking);
    pending.begin(known.state.fingerprint);
    // It may have ended between the look and now.
    if (known.state.state === "final") this.#finish(pending, known.state);
    else void this.#lookout.lookAt(pending);
    return result;
  }

  /** Nothing is waited for any more. What is out may still run. */
  close(): void {
    this.#abandon(abandoned);
  }

  #abandon(resultFor: (pending: PendingCall) => ToolResult): void {
    this.#closed = true;
    this.#lookout.close();
    for (const pending of this.#pending.all()) this.#answer(pending, resultFor(pending));
  }

  #cancelOn(signal: AbortSignal, pending: PendingCall): void {
    const onAbort = () =>
      void cancelCall(pending, this.#parts, {
        end: (result) => this.#end(pending, result),
        look: () => this.#lookout.lookAt(pending),
      });
    signal.addEventListener("abort", onAbort, { once: true });
    pending.onOver(() => signal.removeEventListener("abort", onAbort));
  }

  /** What the ledger says of an execution. Throws `STORE_FAILED` when it cannot be asked. */
  async entryOf(executionId: string, key: string): Promise<LedgerEntry | undefined> {
    try {
      this.#feed.listen(key);
      return await this.#parts.ledger.read(key);
    } catch (cause) {
      const message = `The ledger could not be read: ${messageOf(cause)}. Whether a worker has begun ${executionId} is not known; ask again.`;
      throw new ToolrigError("STORE_FAILED", message, { cause });
    }
  }

  /** One that may have been made before. */
  async #submit(pending: PendingCall, sent: Sent): Promise<void> {
    pending.isKnown = true;
    if (!(await this.#settleKnown(pending))) await this.#send(pending, sent);
  }

  /** What fits a message is found out each time: a server that came back may take less than before. */
  #send(pending: PendingCall, sent: Sent): Promise<void> {
    if (this.#parts.payloads.fits(sent.body)) return sendCall(pending, sent, this.#ways);
    return this.#sendLarge(pending, sent);
  }

  async #sendLarge(pending: PendingCall, sent: Sent): Promise<void> {
    const goesOn = () => this.#isWaiting(pending);
    pending.isPreparing = true;
    try {
      const body = await this.#parts.payloads.fit(`${pending.key}.call`, sent.body, goesOn);
      pending.sent = { ...sent, body };
    } finally {
      pending.isPreparing = false;
    }
    await sendCall(pending, pending.sent, this.#ways);
  }

  /** One that the queue may have all the same, from another time that it was sent, is not refused: the ledger tells. */
  #refuse(pending: PendingCall, error: unknown): void {
    if (!pending.accepted && !pending.doubtful) this.#answer(pending, refused(pending, error));
  }

  /** Whether it is still worth sending. */
  #isWaiting(pending: PendingCall): boolean {
    const late = Date.now() - pending.submittedAt >= this.#parts.queueTimeoutMs;
    return this.#pending.isOut(pending) && !late;
  }

  /** In order, each once. */
  #onUpdate(pending: PendingCall, { attempt, n, event }: Update): void {
    if (event.executionId !== pending.executionId) return;
    if ((event.type as string) === ALLOWED) pending.allow();
    else if (UPDATES.has(event.type) && pending.isNews(attempt, n)) this.#parts.onEvent(event);
  }

  #onFinal(pending: PendingCall, state: FinalState): void {
    this.#finish(pending, state);
    const question = this.#pending.question(pending.key);
    if (question !== undefined) this.#finish(question, state);
  }

  /** Once: a large result takes a while to read, and is found again meanwhile. */
  #finish(pending: PendingCall, state: FinalState): void {
    const { call, sent } = pending;
    if (pending.finishing) return;
    pending.finishing = true;
    if (pending.isOther(state.fingerprint)) {
      this.#answer(pending, instead(pending, state));
      return;
    }
    const take = (result: ToolResult) => {
      const isAsAsked = sent === undefined || result.callId === call.id;
      this.#answer(pending, isAsAsked ? result : { ...result, callId: call.id });
    };
    const result = this.#parts.payloads.resultOf(state);
    if (isThenable(result))
      void Promise.resolve(result).then(take, (error) => this.#answer(pending, unreadable(pending, error)));
    else take(result);
  }

  #onWaiting(pending: PendingCall, { fingerprint, result }: WaitingState): void {
    pending.begin(fingerprint);
    if (pending.isOther(fingerprint)) return;
    pending.park(result);
    const question = this.#pending.question(pending.key);
    if (question !== pending) question?.park(result);
  }

  #answer(pending: PendingCall, result: ToolResult): void {
    this.#pending.answer(pending, result);
  }

  /** Writes an outcome over what the ledger holds; false when somebody else has written since. */
  async #end(pending: PendingCall, result: ToolResult, found?: LedgerEntry): Promise<boolean> {
    const { ledger, payloads } = this.#parts;
    const fingerprint = found?.state.fingerprint ?? pending.fingerprint ?? pending.begunAs ?? UNKNOWN_CALL;
    const entry = await payloads.entry(pending.key, fingerprint, result);
    if ((await ledger.write(pending.key, entry, found?.revision ?? 0)) === undefined) return false;
    this.#answer(pending, result);
    return true;
  }

  async #settleKnown(pending: PendingCall): Promise<boolean> {
    const known = await this.#parts.ledger.read(pending.key).catch(() => undefined);
    if (known?.state.state === "waiting" && known.state.fingerprint === pending.fingerprint) {
      pending.accept();
      this.#onWaiting(pending, known.state);
      return true;
    }
    if (known?.state.state !== "final") return false;
    pending.wasOver = known.state.fingerprint === pending.fingerprint;
    this.#finish(pending, known.state);
    return true;
  }

  /** The server says so later and elsewhere, so it is put together here with the calls that it is about. */
  #forbidden(error: Error): void {
    if (!(error instanceof PermissionViolationError) || error.operation !== "publish") return;
    for (const pending of this.#pending.allOut()) {
      if (pending.sent?.subject !== error.subject || pending.accepted) continue;
      const result = forbidden(pending, error.subject);
      // The queue may have taken it when it was still allowed: then it must not run any more before that is said.
      if (pending.wasSentBefore) void this.#end(pending, result).catch(() => {});
      else this.#answer(pending, result);
    }
  }

  async #watchConnection(): Promise<void> {
    for await (const status of this.#parts.connection.status()) {
      if (status.type === "error") this.#forbidden(status.error);
      if (status.type === "disconnect") this.#lookout.online = false;
      if (status.type !== "reconnect") continue;
      this.#lookout.online = true;
      for (const pending of this.#pending.all()) pending.doubt();
      this.#lookout.look();
    }
  }
}

/** What a call is told whose execution ended as something else. */
function instead(pending: PendingCall, { fingerprint }: FinalState): ToolResult {
  if (fingerprint === UNKNOWN_CALL) return lostEntry(pending);
  return pending.mayHaveRun ? replaced(pending) : otherArguments(pending);
}
