import type { Server } from "@modelcontextprotocol/server";
import type { ToolSource } from "@toolrig/core";

const EVERY_MS = 1_000;

/** Somebody who is told that lists have changed. */
export interface Told {
  toolsChanged(): void;
  promptsChanged(): void;
}

/** Notices that the tools are others than before: when calls were answered, and once a second. */
export class Changes {
  readonly #tools: ToolSource;
  readonly #hasPrompts: boolean;
  readonly #told = new Set<Told>();
  readonly #timer: NodeJS.Timeout;
  #version: ToolSource["version"];
  #isDue = false;

  constructor(tools: ToolSource, hasPrompts: boolean) {
    this.#tools = tools;
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
    if (version === this.#version) return;
    this.#version = version;
    for (const each of this.#told) {
      each.toolsChanged();
      if (this.#hasPrompts) each.promptsChanged();
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
  };
}
