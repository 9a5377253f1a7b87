import { jetstreamManager, StorageType } from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { newId } from "@toolrig/core/kit";
import { type AckedPublisher, PublishError } from "../../wire/acked-publisher.ts";
import { limitStream, SUBJECT, token } from "../../wire/names.ts";
import { ensureLimitStream, isMissing } from "../../wire/streams.ts";

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

/** A slot that a call of this worker has, and the sequence of the message that says so; 0 when it was lost. */
interface Held {
  id: string;
  subject: string;
  seq: number;
  renewing: Promise<void>;
}

const PAUSE_MS = 25;

/**
 * A concurrency that holds across the fleet for a tool with more than one queue; where there is one, its consumer sees to
 * it. A slot is a subject of a stream, taken by whoever writes the first message to it, and kept by writing on. The slots of
 * a lost worker expire with their messages.
 */
export class SlotGate {
  readonly #connection: NatsConnection;
  readonly #publisher: AckedPublisher;
  readonly #name: string;
  readonly #slots: FleetSlots;
  readonly #held = new Map<string, Held>();
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
      for (const held of this.#held.values()) held.renewing = held.renewing.then(() => this.#renew(held));
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
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    void held.renewing.then(() => this.#free(held)).finally(() => this.#wake());
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
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || this.#closed) break;
      const held = await this.#take();
      if (held === undefined) continue;
      this.#held.set(first.key, held);
      // Closed meanwhile: it was sent away already.
      const place = this.#waiting.indexOf(first);
      if (place < 0) {
        this.leave(first.key);
      } else {
        this.#waiting.splice(place, 1);
        first.resolve(true);
      }
    }
    this.#serving = false;
  }

  /** Undefined when there was none to be had, after a pause. */
  async #take(): Promise<Held | undefined> {
    try {
      const subject = await this.#findFree();
      if (subject !== undefined) {
        const id = newId("slot");
        const { seq } = await this.#publisher.compareAndSet(subject, id, 0);
        return { id, subject, seq, renewing: Promise.resolve() };
      }
    } catch (error) {
      if (error instanceof PublishError && error.isConflict) return undefined;
      if (isMissing(error) || (error instanceof PublishError && error.code === 503))
        await this.#ensure().catch(() => {});
    }
    await this.#pause(PAUSE_MS * (0.5 + Math.random()));
    return undefined;
  }

  /** Any of the free ones, so that workers seldom want the same. */
  async #findFree(): Promise<string | undefined> {
    const manager = await jetstreamManager(this.#connection, { checkAPI: false });
    const { state } = await manager.streams.info(this.#stream, { subjects_filter: ">" });
    const taken = state.subjects ?? {};
    const free = Array.from({ length: this.#slots.limit }, (_, slot) => this.#subject(slot)).filter(
      (subject) => taken[subject] === undefined,
    );
    return free[Math.floor(Math.random() * free.length)];
  }

  async #renew(held: Held): Promise<void> {
    if (held.seq === 0) return;
    try {
      held.seq = (await this.#publisher.compareAndSet(held.subject, held.id, held.seq)).seq;
    } catch (error) {
      if (error instanceof PublishError && error.isConflict) held.seq = await this.#find(held);
    }
  }

  /** A renewal whose answer was lost is the slot's last message; 0 when that is somebody else's. */
  async #find({ id, subject }: Held): Promise<number> {
    const manager = await jetstreamManager(this.#connection, { checkAPI: false });
    const last = await manager.streams.getMessage(this.#stream, { last_by_subj: subject }).catch(() => null);
    return last?.string() === id ? last.seq : 0;
  }

  /** One that cannot be given back expires. */
  async #free({ seq }: Held): Promise<void> {
    if (seq === 0) return;
    const message = JSON.stringify({ seq, no_erase: true });
    const subject = `$JS.API.STREAM.MSG.DELETE.${this.#stream}`;
    await this.#connection.request(subject, message, { timeout: this.#slots.leaseMs }).catch(() => {});
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

  #subject(slot: number | "*"): string {
    return `${SUBJECT.slot}.${token(this.#name)}.${slot}`;
  }

  #ensure(): Promise<void> {
    const { leaseMs, replicas } = this.#slots;
    return ensureLimitStream(this.#connection, {
      name: this.#stream,
      subjects: [this.#subject("*")],
      storage: StorageType.File,
      num_replicas: replicas,
      max_msgs_per_subject: 1,
      max_age: nanos(leaseMs),
    });
  }
}
