import type { NatsConnection } from "@nats-io/transport-node";
import type { AnyTool } from "@toolrig/core";
import { isThenable, type MaybePromise } from "@toolrig/core/kit";
import type { FleetNames } from "../../fleet/setup.ts";
import type { AckedPublisher } from "../../wire/acked-publisher.ts";
import type { CallMessage } from "../../wire/messages.ts";
import { type Admission, RateGate } from "./rate-gate.ts";
import { Seats } from "./seats.ts";
import { SlotGate } from "./slot-gate.ts";

function admission(entered: boolean): Admission {
  return entered ? "admitted" : "closed";
}

/** A call that waits for the limits of its tool. */
export interface Waiting {
  key: string;
  urgent: boolean;
  /** Whether it is still to run. */
  wanted(): Promise<boolean>;
}

/** What limits of tools hold across the fleet: rates, and concurrencies that no single consumer sees whole. */
export class Gates {
  readonly #connection: NatsConnection;
  readonly #publisher: AckedPublisher;
  readonly #names: FleetNames;
  readonly #rates = new Map<string, RateGate>();
  readonly #slots = new Map<string, SlotGate>();
  readonly #seats = new Map<string, Seats>();

  constructor(connection: NatsConnection, publisher: AckedPublisher, names: FleetNames) {
    this.#connection = connection;
    this.#publisher = publisher;
    this.#names = names;
  }

  /**
   * Makes the gates of a tool whose calls wait in that many queues and of which this worker runs so many at once. Those that
   * are there stay as they are.
   */
  async open({ name, rate, concurrency: limit }: AnyTool, queues: number, seats: number): Promise<void> {
    if (queues > 1 && !this.#seats.has(name)) this.#seats.set(name, new Seats(seats));
    const { replicas, ackWaitMs: leaseMs } = this.#names;
    if (rate !== undefined && !this.#rates.has(name)) {
      const gate = await RateGate.open(this.#connection, this.#publisher, name, { ...rate, replicas });
      this.#rates.set(name, gate);
    }
    if (limit !== undefined && queues > 1 && !this.#slots.has(name)) {
      const slots = { limit, leaseMs, replicas };
      this.#slots.set(name, await SlotGate.open(this.#connection, this.#publisher, name, slots));
    }
  }

  /**
   * Waits until a call of the tool may start, unless it may at once. The token comes last, as only a call that starts at once
   * may take one.
   */
  admit({ name }: AnyTool, { key, urgent, wanted }: Waiting): MaybePromise<Admission> {
    const rate = this.#rates.get(name);
    if (rate !== undefined)
      return rate.pass({ key, urgent, wanted, enter: async () => this.#enter(name, key, urgent) });
    const entered = this.#enter(name, key, urgent);
    return isThenable(entered) ? Promise.resolve(entered).then(admission) : admission(entered);
  }

  #enter(name: string, key: string, urgent: boolean): MaybePromise<boolean> {
    const sit = () => this.#seats.get(name)?.enter(key, urgent) ?? true;
    const slots = this.#slots.get(name);
    return slots === undefined ? sit() : slots.enter(key, urgent).then((inside) => inside && sit());
  }

  /** An admitted call starts now. */
  started({ key, call }: CallMessage): void {
    this.#rates.get(call.name)?.started(key);
  }

  /** The call is over, whether it was admitted or not. */
  release({ key, call }: CallMessage): void {
    this.#seats.get(call.name)?.leave(key);
    this.#slots.get(call.name)?.leave(key);
  }

  /** How many more calls of a tool could start here at once. */
  spare(name: string): number {
    return this.#seats.get(name)?.free ?? Number.POSITIVE_INFINITY;
  }

  /** The connection broke, and the server may be another one. */
  forget(): void {
    for (const rate of this.#rates.values()) rate.forget();
  }

  /** Nobody is admitted any more; who waits is told so. */
  close(): void {
    for (const gates of [this.#rates, this.#slots, this.#seats])
      for (const gate of gates.values()) gate.close();
  }

  /** Nothing runs any more, so nothing is held. */
  abandon(): void {
    for (const gate of this.#slots.values()) gate.abandon();
  }
}
