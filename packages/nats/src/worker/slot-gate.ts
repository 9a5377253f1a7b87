import { DiscardPolicy, StorageType } from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { type AckedPublisher, PublishError } from "../acked-publisher.ts";
import { limitStream, SUBJECT, token } from "../names.ts";
import { ensureLimitStream } from "../setup.ts";

export interface FleetSlots {
  /** How many calls of the tool may run at once on all workers. */
  limit: number;
  /** For how long a slot is kept that is not renewed. */
  leaseMs: number;
  replicas: number;
}

interface Waiter {
  key: string;
  urgent: boolean;
  resolve(admitted: boolean): void;
}

const PAUSE_MS = 25;

/**
 * A concurrency that holds across the fleet for a tool with more than one queue; where there is one, its consumer sees to
 * it. A slot is a message in a stream that keeps one a call and `limit` in all, and refuses more. Workers renew the slots
 * they hold, and those of a lost worker expire.
 */
export class SlotGate {
  readonly #connection: NatsConnection;
  readonly #publisher: AckedPublisher;
  readonly #name: string;
  readonly #slots: FleetSlots;
  readonly #held = new Set<string>();
  readonly #waiting: Waiter[] = [];
  readonly #renewer: ReturnType<typeof setInterval>;
  #serving = false;
  #closed = false;
  #wake = () => {};

  private constructor(
    connection: NatsConnection,
    publisher: AckedPublisher,
    name: string,
    slots: FleetSlots,
  ) {
    this.#connection = connection;
    this.#publisher = publisher;
    this.#name = name;
    this.#slots = slots;
    this.#renewer = setInterval(() => {
      for (const key of this.#held) void this.#publisher.publish(this.#subject(key), "").catch(() => {});
    }, slots.leaseMs / 3);
    this.#renewer.unref();
  }

  static async open(
    connection: NatsConnection,
    publisher: AckedPublisher,
    name: string,
    slots: FleetSlots,
  ): Promise<SlotGate> {
    const gate = new SlotGate(connection, publisher, name, slots);
    await gate.#ensure();
    return gate;
  }

  /** Resolves true when the call holds a slot, and false when the gate was closed before. Urgent ones go first. */
  enter(key: string, urgent: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const place = urgent ? this.#waiting.findIndex((waiter) => !waiter.urgent) : -1;
      this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, { key, urgent, resolve });
      void this.#serve();
    });
  }

  /** Gives the call's slot back, if it has one. */
  leave(key: string): void {
    if (!this.#held.delete(key)) return;
    const filter = JSON.stringify({ filter: this.#subject(key) });
    this.#connection
      .request(`$JS.API.STREAM.PURGE.${this.#stream}`, filter, { timeout: this.#slots.leaseMs })
      // It expires, then.
      .catch(() => {})
      .finally(() => this.#wake());
  }

  /** Nobody enters any more. What is inside keeps its slot until it leaves. */
  close(): void {
    this.#closed = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve(false);
    this.#wake();
  }

  /** Slots are not renewed any more. */
  abandon(): void {
    clearInterval(this.#renewer);
  }

  async #serve(): Promise<void> {
    if (this.#serving) return;
    this.#serving = true;
    while (this.#waiting.length > 0 && !this.#closed) {
      const [first] = this.#waiting as [Waiter];
      if (!(await this.#take(first.key))) continue;
      // Closed meanwhile: it was sent away already.
      const place = this.#waiting.indexOf(first);
      if (place < 0) this.leave(first.key);
      else this.#waiting.splice(place, 1)[0]!.resolve(true);
    }
    this.#serving = false;
  }

  /** False after a pause when there is none to be had. */
  async #take(key: string): Promise<boolean> {
    try {
      await this.#publisher.publish(this.#subject(key), "");
      this.#held.add(key);
      return true;
    } catch (error) {
      const gone = error instanceof PublishError && error.code === 503;
      if (gone) await this.#ensure().catch(() => {});
      await this.#pause(gone ? 250 : PAUSE_MS * (0.5 + Math.random()));
      return false;
    }
  }

  /** Shorter when a slot of this worker becomes free. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  get #stream(): string {
    return limitStream("TOOL_SLOTS", this.#name);
  }

  #subject(key: string): string {
    return `${SUBJECT.slot}.${token(this.#name)}.${key}`;
  }

  async #ensure(): Promise<void> {
    const { limit, leaseMs, replicas } = this.#slots;
    await ensureLimitStream(this.#connection, {
      name: this.#stream,
      subjects: [`${SUBJECT.slot}.${token(this.#name)}.>`],
      storage: StorageType.File,
      num_replicas: replicas,
      max_msgs: limit,
      max_msgs_per_subject: 1,
      max_age: nanos(leaseMs),
      discard: DiscardPolicy.New,
      duplicate_window: nanos(Math.max(100, Math.min(leaseMs, 120_000))),
    });
  }
}
