import { type DataLabels, joinLabels } from "../call/labels.ts";
import { evictOldest } from "../evict-oldest.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { sha256 } from "../sha256.ts";

/** A part of an artifact. */
export interface ArtifactPart {
  text: string;
  /** Of the whole, in characters. */
  length: number;
  /** What is known of the content: of all who kept it, the more careful of each. Absent if nobody said anything. */
  labels?: DataLabels;
}

/**
 * Content that is too large for a model, or that a diff needs later. The id follows from the content: the same content
 * has the same id, whoever keeps it.
 */
export interface ArtifactStore {
  /** Keeps content, with what is known of it, and returns the id it can be read under. Text is kept as UTF-8. */
  put(content: string | Uint8Array, labels?: DataLabels): MaybePromise<string>;
  /** Keeps content that arrives in pieces, without holding the whole in memory. Nothing is kept if a piece fails. */
  write(pieces: AsyncIterable<string | Uint8Array>, labels?: DataLabels): Promise<string>;
  /** Characters `from` to `to`, or undefined for an unknown id. */
  read(id: string, from: number, to: number): MaybePromise<ArtifactPart | undefined>;
  /** The content in pieces, or undefined for an unknown id. */
  bytes(id: string): MaybePromise<Iterable<Uint8Array> | AsyncIterable<Uint8Array> | undefined>;
}

/** The id of content whose SHA-256 is `hash`, in hex. */
export function artifactId(hash: string): string {
  return `art_${hash.slice(0, 40)}`;
}

const hex = (byte: number) => byte.toString(16).padStart(2, "0");

/** Keeps artifacts for the life of the process, up to `capacity` bytes; the oldest go first. */
export class MemoryArtifactStore implements ArtifactStore {
  readonly #contents = new Map<string, { bytes: Uint8Array; labels: DataLabels | undefined }>();
  readonly #capacity: number;
  #size = 0;

  constructor(capacity = 64_000_000) {
    this.#capacity = capacity;
  }

  put(content: string | Uint8Array, labels?: DataLabels): string {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
    return this.#keep(artifactId(sha256(bytes)), bytes, labels);
  }

  #keep(id: string, bytes: Uint8Array, labels: DataLabels | undefined): string {
    const kept = this.#contents.get(id);
    if (kept !== undefined) {
      kept.labels = joinLabels(kept.labels, labels);
      return id;
    }
    this.#contents.set(id, { bytes, labels: labels && { ...labels } });
    this.#size += bytes.length;
    while (this.#size > this.#capacity && this.#contents.size > 1) {
      const [, dropped] = evictOldest(this.#contents, this.#contents.size - 1) ?? [];
      this.#size -= dropped?.bytes.length ?? 0;
    }
    return id;
  }

  async write(pieces: AsyncIterable<string | Uint8Array>, labels?: DataLabels): Promise<string> {
    const collected: BlobPart[] = [];
    for await (const piece of pieces)
      collected.push(typeof piece === "string" ? piece : new Uint8Array(piece));
    const bytes = new Uint8Array(await new Blob(collected).arrayBuffer());
    // Of megabytes the hash is taken beside this thread.
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return this.#keep(artifactId(Array.from(hash, hex).join("")), bytes, labels);
  }

  read(id: string, from: number, to: number): ArtifactPart | undefined {
    const kept = this.#contents.get(id);
    if (kept === undefined) return undefined;
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(kept.bytes);
    const part: ArtifactPart = { text: text.slice(from, to), length: text.length };
    return kept.labels === undefined ? part : { ...part, labels: { ...kept.labels } };
  }

  bytes(id: string): Iterable<Uint8Array> | undefined {
    const content = this.#contents.get(id);
    return content === undefined ? undefined : [content.bytes];
  }
}
