import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { CallEvent } from "@toolrig/core";
import { parseStrict } from "@toolrig/core/kit";
import { listen, type Refusals } from "../wire/listen.ts";
import { type FinalState, readState, type WaitingState } from "../wire/messages.ts";
import { keyPrefix, SUBJECT } from "../wire/names.ts";
import { isRelayed } from "../wire/relayed.ts";
import type { PendingCall } from "./pending-call.ts";

/** Progress of a call: the worker's `n`th of an attempt. */
export interface Update {
  attempt: number;
  n: number;
  event: CallEvent;
}

export interface FeedListeners {
  /** The call that waits here for the execution, if one does: others may share its prefix. */
  pending(key: string): PendingCall | undefined;
  /** Whether a message on the subject of the execution's result is what the server republished. */
  isGenuine(key: string, message: Msg): boolean;
  onFinal(pending: PendingCall, state: FinalState): void;
  onWaiting(pending: PendingCall, state: WaitingState): void;
  onUpdate(pending: PendingCall, update: Update): void;
}

/** `{"state":"started"…` is half of what is republished: one byte tells it. */
const STATE_AT = '{"state":"'.length;
const STARTED = "s".charCodeAt(0);

/** What comes back of calls. One subscription covers all executions that share a prefix. */
export class ResultFeed {
  readonly #connection: NatsConnection;
  readonly #listeners: FeedListeners;
  readonly #prefixes = new Set<string>();
  readonly refusals: Refusals = [];

  constructor(connection: NatsConnection, listeners: FeedListeners) {
    this.#connection = connection;
    this.#listeners = listeners;
  }

  /** From now on what comes of the execution is heard. */
  listen(key: string): void {
    const prefix = keyPrefix(key);
    if (this.#prefixes.has(prefix)) return;
    this.#prefixes.add(prefix);
    const { refusals } = this;
    listen(this.#connection, `${SUBJECT.result}.${prefix}.*`, (message) => this.#result(message), {
      refusals,
    });
    listen(this.#connection, `${SUBJECT.update}.${prefix}.*`, (message) => this.#update(message), {
      refusals,
    });
  }

  #result(message: Msg): void {
    const pending = this.#listeners.pending(message.subject.slice(SUBJECT.result.length + 1));
    if (pending === undefined) return;
    if (message.data[STATE_AT] === STARTED) pending.hear(() => this.#startOf(pending, message));
    else if (this.#listeners.isGenuine(pending.key, message)) this.#entry(pending, message);
  }

  /** The fingerprint of the call that a message says was begun; undefined when it is not so. */
  #startOf(pending: PendingCall, message: Msg): string | undefined {
    if (!this.#listeners.isGenuine(pending.key, message)) return undefined;
    try {
      return readState(message.string()).fingerprint;
    } catch {
      return undefined;
    }
  }

  #entry(pending: PendingCall, message: Msg): void {
    try {
      const state = readState(message.string());
      if (state.state === "final") this.#listeners.onFinal(pending, state);
      else if (state.state === "waiting") this.#listeners.onWaiting(pending, state);
      else pending.begin(state.fingerprint);
    } catch {
      // Not an entry of ours; the ledger is asked in time.
    }
  }

  #update(message: Msg): void {
    const pending = this.#listeners.pending(message.subject.slice(SUBJECT.update.length + 1));
    if (pending === undefined || isRelayed(message.headers)) return;
    try {
      this.#listeners.onUpdate(pending, readUpdate(message.string()));
    } catch {
      // Whatever it was, it was not progress.
    }
  }
}

/** Throws for what is no update. What an event of its type says beyond that is for people to read. */
function readUpdate(text: string): Update {
  const parsed = parseStrict(text, { subject: "The update" });
  if (!parsed.ok) throw new Error(parsed.message);
  const { attempt, n, event } = parsed.value as Partial<Update>;
  if (!Number.isSafeInteger(attempt) || !Number.isSafeInteger(n) || typeof event?.type !== "string")
    throw new Error("not an update");
  return { attempt, n, event } as Update;
}
