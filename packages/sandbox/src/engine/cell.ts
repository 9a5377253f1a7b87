import type { FromWorker, Reply, Request } from "./messages.ts";

/** A way to a worker: a thread or a process. */
export interface Link {
  send(request: Request): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
  /** Whether it keeps the process from ending. */
  hold(held: boolean): void;
}

export interface LinkEvents {
  message(message: FromWorker): void;
  /** Once, and nothing after it. */
  gone(why: string): void;
}

/** Why a cell has not answered. */
export class CellLost extends Error {
  readonly why: "overtime" | "killed" | "crashed";

  constructor(why: CellLost["why"], message: string) {
    super(message);
    this.why = why;
  }
}

/** A machine that is busy may take long to start a thread. */
const START_MS = 60_000;

/** A worker from outside: it is asked one thing at a time, and ended when it does not answer. */
export class Cell {
  #link: Link;
  #waiting: { resolve(reply: Reply): void; reject(error: CellLost): void } | undefined;
  #lost: CellLost | undefined;
  #ready = Promise.withResolvers<void>();

  constructor(open: (events: LinkEvents) => Link) {
    this.#ready.promise.catch(() => {});
    this.#link = open({
      message: (message) => {
        if (message.type === "ready") return this.#ready.resolve();
        const waiting = this.#waiting;
        this.#waiting = undefined;
        waiting?.resolve(message);
      },
      gone: (why) => this.#lose(new CellLost("crashed", why)),
    });
    this.#link.hold(false);
  }

  get usable(): boolean {
    return this.#lost === undefined;
  }

  /** Sends a request and waits for its reply, for `patience` milliseconds. Throws `CellLost`. */
  async ask(request: Request, patience: number): Promise<Reply> {
    this.#link.hold(true);
    try {
      await this.#within(START_MS, this.#ready.promise);
      if (this.#lost !== undefined) throw this.#lost;
      return await this.#within(
        patience,
        new Promise<Reply>((resolve, reject) => {
          this.#waiting = { resolve, reject };
          this.#link.send(request);
        }),
      );
    } finally {
      this.#link.hold(false);
    }
  }

  kill(why: CellLost["why"] = "killed"): void {
    if (this.#lost !== undefined) return;
    this.#lose(new CellLost(why, `The worker was ended: ${why}.`));
    this.#link.kill();
  }

  #lose(lost: CellLost): void {
    if (this.#lost !== undefined) return;
    this.#lost = lost;
    this.#ready.reject(lost);
    this.#waiting?.reject(lost);
    this.#waiting = undefined;
  }

  async #within<Value>(ms: number, value: Promise<Value>): Promise<Value> {
    // A reply that came while this thread was busy is read before the cell is ended for being late.
    const timer = setTimeout(() => setImmediate(() => settled || this.kill("overtime")), ms);
    let settled = false;
    try {
      return await value;
    } finally {
      settled = true;
      clearTimeout(timer);
    }
  }
}
