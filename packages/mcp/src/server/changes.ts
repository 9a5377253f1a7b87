import type { Server } from "@modelcontextprotocol/server";
import type { ToolSource } from "@toolrig/core";

const EVERY_MS = 1_000;

/** Somebody who is told that lists have changed. */
export interface Told {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
}

/** Notices that the tools are others than before: when calls were answered, and once a second. */
export class Changes {
  readonly #tools: ToolSource;
  readonly #hasPrompts: boolean;
  readonly #offers: { readonly version: number } | undefined;
  #offered: number | undefined;
  readonly #told = new Set<Told>();
  readonly #timer: NodeJS.Timeout;
  #version: ToolSource["version"];
  #isDue = false;

  constructor(tools: ToolSource, hasPrompts: boolean, offers?: { readonly version: number }) {
    this.#tools = tools;
    this.#offers = offers;
    this.#offered = offers?.version;
    this.#hasPrompts = hasPrompts;
    this.#version = tools.version;
    this.#timer = setInterval(() => this.look(), EVERY_MS).unref();
  }

  /** Returns how to stop. */
  tell(told: Told): () => void {
    this.#told.add(told);
    return () => this.#told.delete(told);
  }

  /** Looks when this turn of the event loop is over: once for all calls of it, and when they are answered. */
  lookSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.look();
    });
  }

  look(): void {
    const { version } = this.#tools;
    const hasOffers = this.#offers?.version !== this.#offered;
    this.#offered = this.#offers?.version;
    const hasTools = version !== this.#version;
    this.#version = version;
    for (const each of this.#told) {
      if (hasTools) each.toolsChanged();
      if (hasOffers || (hasTools && this.#hasPrompts)) each.promptsChanged();
      if (hasOffers) each.resourcesChanged();
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#told.clear();
  }
}

/** A client that has a connection. One that has gone is not missed. */
export function tellClient(server: Server): Told {
  return {
    toolsChanged: () => void server.sendToolListChanged().catch(() => {}),
    promptsChanged: () => void server.sendPromptListChanged().catch(() => {}),
    resourcesChanged: () => void server.sendResourceListChanged().catch(() => {}),
  };
}
