import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "@toolrig/core/kit";
import type { ListedOffers } from "../defence/admit-offers.ts";
import type { Connection, ConnectionOwner } from "./connection.ts";
import type { Session } from "./session.ts";

/** For so long tools wait for what else a server offers. */
const OFFERS_WAIT_MS = 1_000;

/** What a connection's server lists: read anew when it says that it changed, and told to the connection's owner. */
export class Lists {
  readonly #connection: Connection;
  readonly #owner: ConnectionOwner;
  readonly #over: AbortSignal;
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #readings = 0;
  #session: Session | undefined;
  #tools: readonly unknown[] = [];
  #offers: ListedOffers | undefined;
  /** The reading that they came from. */
  #offersOf = 0;
  #telling: Promise<void> = Promise.resolve();

  constructor(connection: Connection, owner: ConnectionOwner, over: AbortSignal) {
    this.#connection = connection;
    this.#owner = owner;
    this.#over = over;
  }

  /** Those who ask while lists are read all get the one reading that follows, and wait for no other. */
  refresh(session: Session | undefined): Promise<void> {
    this.#session = session;
    if (this.#reading === undefined) return this.#read();
    this.#next ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#read();
      });
    return this.#next;
  }

  #read(): Promise<void> {
    const session = this.#session;
    if (session?.isOpen !== true) return Promise.resolve();
    this.#reading = this.#readOnce(session).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Tools do not wait for long for what else the server offers: that is told of when it comes. */
  async #readOnce(session: Session): Promise<void> {
    const { connectTimeoutMs, limits } = this.#connection.server;
    const signal = AbortSignal.any([AbortSignal.timeout(connectTimeoutMs), this.#over]);
    const options = { timeout: connectTimeoutMs, signal };
    const number = ++this.#readings;
    const offers = session.listOffers(limits, options).then((all) => {
      // A later reading may have ended before this one.
      if (number < this.#offersOf || session !== this.#session || !session.isOpen) return false;
      this.#offersOf = number;
      this.#offers = this.#carried(all);
      return true;
    });
    this.#tools = await session.listTools(limits, options);
    const isNew = await Promise.race([offers, pause(OFFERS_WAIT_MS, "late", { ref: false })]);
    await this.#tell();
    if (isNew === "late")
      void offers
        .then((isNew) => (isNew ? this.#tell() : undefined))
        .catch((error) => this.#owner.onNotice("error", { message: messageOf(error) }));
  }

  #carried({ instructions, prompts, resources, templates, notes }: ListedOffers): ListedOffers {
    const connection = this.#connection;
    return {
      instructions: connection.carries("instructions") ? instructions : undefined,
      prompts: connection.carries("prompts") ? prompts : [],
      resources: connection.carries("resources") ? resources : [],
      templates: connection.carries("resources") ? templates : [],
      notes,
    };
  }

  /** Tells the owner what was listed last, once at a time. */
  #tell(): Promise<void> {
    const telling = this.#telling.then(() => this.#owner.onListed(this.#tools, this.#offers));
    this.#telling = telling.catch(() => {});
    return telling;
  }
}
