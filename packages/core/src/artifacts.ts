import { newId } from "./ids.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** Where output goes that is too large for a model. */
export interface ArtifactStore {
  /** Keeps text and returns the id it can be read under. */
  put(text: string): MaybePromise<string>;
  /** Characters `from` to `to` and the length of the whole, or undefined for an unknown id. */
  read(id: string, from: number, to: number): MaybePromise<{ text: string; length: number } | undefined>;
}

/** Keeps artifacts for the life of the process, up to `capacity` characters; the oldest go first. */
export class MemoryArtifactStore implements ArtifactStore {
  readonly #texts = new Map<string, string>();
  readonly #capacity: number;
  #size = 0;

  constructor(capacity = 64_000_000) {
    this.#capacity = capacity;
  }

  put(text: string): string {
    const id = newId("art");
    this.#texts.set(id, text);
    this.#size += text.length;
    while (this.#size > this.#capacity && this.#texts.size > 1) {
      const [oldest, dropped] = this.#texts.entries().next().value!;
      this.#texts.delete(oldest);
      this.#size -= dropped.length;
    }
    return id;
  }

  read(id: string, from: number, to: number): { text: string; length: number } | undefined {
    const text = this.#texts.get(id);
    return text === undefined ? undefined : { text: text.slice(from, to), length: text.length };
  }
}
