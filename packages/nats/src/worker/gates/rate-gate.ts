import { DiscardPolicy, StorageType } from "@nats-io/jetstream";
import { type NatsConnection, nanos, PermissionViolationError } from "@nats-io/transport-node";
import { type AckedPublisher, PublishError } from "../../wire/acked-publisher.ts";
import { limitStream, SUBJECT, token } from "../../wire/names.ts";
import { ensureLimitStream } from "../../wire/streams.ts";

export interface FleetRate {
  limit: number;
  perMs: number;
  replicas: number;
}

/**
 * Between a token and the start of its call lies a moment, not always the same. The server keeps tokens this much longer than
 * their window, at most a twentieth of it; the worker that took one knows when its call started, and gives it back sooner.
 */
const SLACK_MS = 40;
const START_SLACK_MS = 2;
/** For how long the answer holds that a call is still wanted. */
const WANTED_MS = 250;
/** So many of the line are asked about at once: a token should not wait for the answer. */
const ASKED_AHEAD = 4;

/** A call that waits for a token. */
export interface Applicant {
  key: string;
  /** Goes before those that are not. */
  urgent: boolean;
  /** Asked just before a token is taken: a call that was withdrawn meanwhile must not use one up. Never rejects. */
  wanted(): Promise<boolean>;
  /** Waits for whatever else the call needs to start. False when it will not get it. */
  enter(): Promise<boolean>;
}

/** Whether a call may start, is wanted no more, or came to a gate that is closed. */
export type Admission = "admitted" | "unwanted" | "closed";

interface Waiter extends Applicant {
  askedAt: number;
  isWanted: Promise<boolean>;
  /** It has all it needs but the token, and keeps others from having that: it goes first. */
  inside: boolean;
  resolve(admission: Admission): void;
}

/** A token of this worker: its place in the stream, and when its call started, or could have. */
interface Token {
  seq: number;
  at: number;
}

/**
 * A rate that holds across the fleet: a stream that keeps at most `limit` messages for one window and refuses more. A call
 * starts when its token was accepted; there is no counter to fight over. The calls of one worker stand in a line for tokens,
 * urgent ones first, so that only workers compete.
 */
export class RateGate {
  readonly #connection: NatsConnection;
  readonly #publisher: AckedPublisher;
  readonly #name: string;
  readonly #rate: FleetRate;
  readonly #waiting: Waiter[] = [];
  #serving = false;
  #closed = false;
  #wake = () => {};
  #nextAt = 0;
  /** By the call that took it, oldest first. */
  readonly #taken = new Map<string, Token>();
  #lastSeq = 0;
  #mayGiveBack = true;

  private constructor(connection: NatsConnection, publisher: AckedPublisher, name: string, rate: FleetRate) {
    this.#connection = connection;
    this.#publisher = publisher;
    this.#name = name;
    this.#rate = rate;
  }

  static async open(
    connection: NatsConnection,
    publisher: AckedPublisher,
    name: string,
    rate: FleetRate,
  ): Promise<RateGate> {
    const gate = new RateGate(connection, publisher, name, rate);
    await gate.#ensure();
    return gate;
  }

  get #keptMs(): number {
    const { perMs } = this.#rate;
    return perMs + Math.min(SLACK_MS, Math.ceil(perMs / 20));
  }

  get #stream(): string {
    return limitStream("TOOL_RATE", this.#name);
  }

  pass(applicant: Applicant): Promise<Admission> {
    if (this.#closed) return Promise.resolve("closed");
    return new Promise((resolve) => {
      const place = applicant.urgent ? this.#waiting.findIndex(({ urgent }) => !urgent) : -1;
      const isWanted = Promise.resolve(true);
      const waiter = { ...applicant, askedAt: Number.NEGATIVE_INFINITY, isWanted, inside: false, resolve };
      this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, waiter);
      void this.#serve();
    });
  }

  /** The server may be another one, and its stream a new one that counts from the start again. */
  forget(): void {
    this.#taken.clear();
  }

  /** The call starts now: its window begins. */
  started(key: string): void {
    const taken = this.#taken.get(key);
    if (taken !== undefined) taken.at = performance.now();
  }

  /** Nobody passes any more; who waits is told so. */
  close(): void {
    this.#closed = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve("closed");
    this.#wake();
  }

  async #serve(): Promise<void> {
    if (this.#serving) return;
    this.#serving = true;
    for (let first = this.#first(); first !== undefined; first = this.#first()) {
      const admission = await this.#try(first);
      const place = this.#waiting.indexOf(first);
      if (admission === undefined || place < 0) continue;
      this.#waiting.splice(place, 1);
      first.resolve(admission);
    }
    this.#serving = false;
  }

  #first(): Waiter | undefined {
    return this.#waiting.find(({ inside }) => inside) ?? this.#waiting[0];
  }

  /** Undefined when it has to be tried again: then somebody else may be first. */
  async #try(first: Waiter): Promise<Admission | undefined> {
    // A burst that starts a little late would run into the next window's, so one worker spreads its own starts.
    const early = this.#nextAt - performance.now();
    if (early >= 1) return this.#pause(early);
    for (const waiter of [first, ...this.#waiting.slice(0, ASKED_AHEAD)]) ask(waiter);
    if (!(await first.isWanted)) return "unwanted";
    if (!first.inside) {
      if (!(await first.enter())) return "closed";
      first.inside = true;
      return undefined;
    }
    return (await this.#takeToken(first.key)) ? "admitted" : undefined;
  }

  async #takeToken(key: string): Promise<boolean> {
    const { limit, perMs } = this.#rate;
    try {
      const { seq } = await this.#publisher.publish(`${SUBJECT.rate}.${token(this.#name)}`, "");
      this.#nextAt = performance.now() + perMs / limit / 2;
      if (seq < this.#lastSeq) this.forget();
      this.#lastSeq = seq;
      this.#taken.delete(key);
      this.#taken.set(key, { seq, at: performance.now() });
      return true;
    } catch (error) {
      const full = error instanceof PublishError && error.isFull;
      if (full && (await this.#giveBack())) return false;
      if (error instanceof PublishError && error.code === 503) await this.#ensure().catch(() => {});
      const pauseMs = Math.min(500, Math.max(2, perMs / limit / 2));
      await this.#pause(full ? pauseMs * (0.5 + Math.random()) : 250);
      return false;
    }
  }

  /** Over at once when the gate closes. */
  #pause(ms: number): Promise<undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms, undefined);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
      if (this.#closed) this.#wake();
    });
  }

  /**
   * Takes out tokens of this worker whose window is over. The server would, but only looks four times a second, and a fifth
   * of the rate would be lost to that. True when there were any.
   */
  async #giveBack(): Promise<boolean> {
    const now = performance.now();
    const over = now - this.#rate.perMs - START_SLACK_MS;
    const expired: number[] = [];
    for (const [key, { seq, at }] of this.#taken) {
      if (at > over) continue;
      this.#taken.delete(key);
      // What is older than that, the server has taken out itself.
      if (at > now - 2 * this.#keptMs) expired.push(seq);
    }
    if (!this.#mayGiveBack || expired.length === 0) return false;
    const subject = `$JS.API.STREAM.MSG.DELETE.${this.#stream}`;
    const remove = (seq: number) =>
      this.#connection.request(subject, JSON.stringify({ seq, no_erase: true }), { timeout: 1_000 });
    try {
      await Promise.all(expired.map(remove));
      return true;
    } catch (error) {
      // A worker that may not is left with what the server does by itself.
      this.#mayGiveBack = !(error instanceof PermissionViolationError);
      return false;
    }
  }

  async #ensure(): Promise<void> {
    const { limit, replicas } = this.#rate;
    await ensureLimitStream(this.#connection, {
      name: this.#stream,
      subjects: [`${SUBJECT.rate}.${token(this.#name)}`],
      // A window must outlive a restart of the server.
      storage: StorageType.File,
      num_replicas: replicas,
      max_msgs: limit,
      max_age: nanos(this.#keptMs),
      discard: DiscardPolicy.New,
    });
  }
}

function ask(waiter: Waiter): void {
  const now = performance.now();
  if (now - waiter.askedAt < WANTED_MS) return;
  waiter.askedAt = now;
  waiter.isWanted = waiter.wanted();
}
