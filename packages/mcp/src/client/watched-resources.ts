import { setTimeout as pause } from "node:timers/promises";
import type { Client, McpSubscription } from "@modelcontextprotocol/client";

const REOPEN_MS = 1_000;

/** The resources of one session that somebody wants to hear of, in the way of its era. */
export class WatchedResources {
  readonly #client: Client;
  readonly #isOpen: () => boolean;
  readonly #uris = new Set<string>();
  #stream: McpSubscription | undefined;
  #change: Promise<void> = Promise.resolve();
  /** A change that has not begun. */
  #next: Promise<void> | undefined;

  constructor(client: Client, isOpen: () => boolean) {
    this.#client = client;
    this.#isOpen = isOpen;
  }

  /** Rejects when the server refuses. */
  async add(uri: string): Promise<void> {
    if (this.#uris.has(uri)) return;
    this.#uris.add(uri);
    try {
      if (this.#isModern) await this.#listenAnew();
      else await this.#client.subscribeResource({ uri });
    } catch (error) {
      this.#uris.delete(uri);
      throw error;
    }
  }

  async remove(uri: string): Promise<void> {
    if (!this.#uris.delete(uri) || !this.#isOpen()) return;
    if (this.#isModern) await this.#listenAnew();
    else await this.#client.unsubscribeResource({ uri });
  }

  get #isModern(): boolean {
    return this.#client.getProtocolEra() === "modern";
  }

  /** One stream for all of them: the next one is there before the last one ends. Changes that come meanwhile are one change. */
  #listenAnew(): Promise<void> {
    this.#next ??= this.#change.then(async () => {
      this.#next = undefined;
      const last = this.#stream;
      this.#stream = undefined;
      if (this.#uris.size > 0) {
        const stream = await this.#client.listen({ resourceSubscriptions: [...this.#uris] });
        this.#stream = stream;
        void this.#reopen(stream);
      }
      await last?.close();
    });
    this.#change = this.#next.catch(() => {});
    return this.#next;
  }

  async #reopen(stream: McpSubscription): Promise<void> {
    const why = await stream.closed;
    if (why === "local") return;
    await pause(REOPEN_MS, undefined, { ref: false });
    if (this.#stream === stream && this.#isOpen()) await this.#listenAnew().catch(() => {});
  }
}
