import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { listenedIn, type Subscriptions } from "./subscriptions.ts";
import type { ServedView } from "./view.ts";

/** What the client of a pair of streams listens to since 2026-07-28. The SDK answers it; servers behind are subscribed to meanwhile. */
export class Listening {
  readonly #view: ServedView;
  readonly #subscriptions: Subscriptions;
  readonly #held = new Map<unknown, Promise<() => void>>();

  constructor(view: ServedView, subscriptions: Subscriptions) {
    this.#view = view;
    this.#subscriptions = subscriptions;
  }

  see(message: JSONRPCMessage): void {
    const listened = listenedIn(message);
    if (listened !== undefined && !this.#held.has(listened.id) && this.#held.size < MAX_STREAMS) {
      const holding = this.#subscriptions.holdSome(this.#view, listened.uris);
      this.#held.set(
        listened.id,
        holding.then(({ release }) => release),
      );
    }
    const { method, params } = message as { method?: string; params?: { requestId?: unknown } };
    if (method === "notifications/cancelled") this.#release(params?.requestId);
  }

  close(): void {
    for (const id of [...this.#held.keys()]) this.#release(id);
  }

  #release(id: unknown): void {
    const held = this.#held.get(id);
    this.#held.delete(id);
    void held?.then((release) => release());
  }
}

const MAX_STREAMS = 100;
