import type { Duration, ToolDefinition } from "@toolrig/core";
import {
  declareOptions,
  definitionHash,
  formatDuration,
  type OptionTable,
  option,
  parseDuration,
  sleep,
  systemClock,
} from "@toolrig/core/kit";
import { batchSize, EMBEDDER, type Embedder, embedTexts, isEmbedder, likeness } from "./embedder.ts";
import { wordsOf } from "./tokens.ts";

export interface EmbedOptions {
  /**
   * Makes vectors of texts: an AI SDK embedding model, or a function from texts to vectors. Tools are then found by
   * what they mean as well as by their words. One that fails or takes too long is done without.
   */
  embed: Embedder;
  /** How long a search waits for vectors before it goes by words alone. Default "3s". */
  embedTimeout?: Duration;
  /** Told why a search went by words alone. What it throws is ignored. */
  onEmbedError?(error: unknown): void;
}

export const embedOptions = declareOptions("a search by meaning", {
  embed: option.that(EMBEDDER, isEmbedder),
  embedTimeout: option.duration({ default: "3s" }),
  onEmbedError: option.callback(),
} satisfies OptionTable<Partial<EmbedOptions>>);

/** The vectors of definitions and of a request, all of the same length. */
interface Compared {
  definitions: readonly Float32Array[];
  request: Float32Array;
}

/** How long an embedder is left alone once it has failed. */
const REST_MS = 30_000;
/** How much of a text is embedded: models refuse what is much longer. */
const MAX_TEXT = 4_000;
/** Vectors that are kept for definitions that no current list may have any more. */
const MAX_KEPT = 20_000;

const embedders = new WeakMap<Embedder, Vectors>();

/** Says how near tools are to a request in what they mean, as far as an embedder can tell in time. */
export class Meaning {
  readonly #vectors: Vectors;
  readonly #limitMs: number;
  readonly #onError: (error: unknown) => void;

  /** Options that were checked. */
  constructor({ embed, embedTimeout = embedOptions.defaults.embedTimeout, onEmbedError }: EmbedOptions) {
    this.#limitMs = parseDuration(embedTimeout, "embedTimeout");
    this.#onError = (error) => onEmbedError?.(error);
    let vectors = embedders.get(embed);
    if (vectors === undefined) {
      vectors = new Vectors(embed);
      embedders.set(embed, vectors);
    }
    this.#vectors = vectors;
  }

  /** For each definition how like the request it is, up to 1. Undefined when that cannot be said. Never rejects. */
  async likenesses(
    definitions: readonly ToolDefinition[],
    request: string,
    signal?: AbortSignal,
  ): Promise<Float64Array | undefined> {
    if (this.#vectors.isResting || signal?.aborted || request.trim() === "") return undefined;
    const over = new AbortController();
    const ended = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
    try {
      const limit = sleep(systemClock, this.#limitMs, ended).then((passed) => {
        if (passed) throw this.#vectors.late(definitions, this.#limitMs);
        return undefined;
      });
      const found = await Promise.race([this.#vectors.of(definitions, request), limit]);
      return found && Float64Array.from(found.definitions, (vector) => likeness(vector, found.request));
    } catch (error) {
      this.#tell(error);
      return undefined;
    } finally {
      over.abort();
    }
  }

  #tell(error: unknown): void {
    try {
      this.#onError(error);
    } catch {
      // Whoever listens does not decide about the search.
    }
  }
}

/** The vectors that an embedder has made. A definition is embedded once, whoever asks and whatever list it is on. */
class Vectors {
  readonly #embed: Embedder;
  readonly #known = new Map<string, Float32Array>();
  readonly #lists = new WeakMap<readonly ToolDefinition[], readonly Float32Array[]>();
  #learning: Promise<unknown> = Promise.resolve();
  #restUntil = 0;

  constructor(embed: Embedder) {
    this.#embed = embed;
  }

  /** Whether the embedder failed a moment ago. */
  get isResting(): boolean {
    return systemClock.now() < this.#restUntil;
  }

  /** Rejects with what the embedder did wrong. */
  async of(list: readonly ToolDefinition[], request: string): Promise<Compared> {
    try {
      const [definitions, [vector]] = await Promise.all([
        this.#lists.get(list) ?? this.#learn(list),
        embedTexts(this.#embed, [shortened(request)]),
      ]);
      if (vector === undefined || definitions.some(({ length }) => length !== vector.length)) {
        throw new Error("The embedder must return vectors of the same number of dimensions every time.");
      }
      return { definitions, request: vector };
    } catch (error) {
      this.#rest();
      throw error;
    }
  }

  /** Somebody has waited in vain. Definitions may take their time the first time; a request may not. */
  late(list: readonly ToolDefinition[], limitMs: number): Error {
    if (this.#lists.has(list)) this.#rest();
    return new Error(`The embedder took longer than ${formatDuration(limitMs)}.`);
  }

  #rest(): void {
    this.#restUntil = systemClock.now() + REST_MS;
  }

  /** One list at a time, so that what two have in common is embedded for the first. What is done is kept on failure. */
  #learn(list: readonly ToolDefinition[]): Promise<readonly Float32Array[]> {
    const learned = this.#learning.then(async () => {
      await this.#embedMissing(list);
      const vectors = list.flatMap((definition) => this.#known.get(definitionHash(definition)) ?? []);
      this.#lists.set(list, vectors);
      this.#forgetOldest();
      return vectors;
    });
    this.#learning = learned.catch(() => {});
    return learned;
  }

  async #embedMissing(list: readonly ToolDefinition[]): Promise<void> {
    const missing = list.filter((definition) => !this.#known.has(definitionHash(definition)));
    if (missing.length > 0 && this.isResting) throw new Error("The embedder failed a moment ago.");
    const size = await batchSize(this.#embed);
    for (let at = 0; at < missing.length; at += size) {
      const batch = missing.slice(at, at + size);
      const vectors = await embedTexts(this.#embed, batch.map(searchText));
      for (const [index, definition] of batch.entries()) {
        const vector = vectors[index];
        if (vector !== undefined) this.#known.set(definitionHash(definition), vector);
      }
    }
  }

  #forgetOldest(): void {
    for (const hash of this.#known.keys()) {
      if (this.#known.size <= MAX_KEPT) break;
      this.#known.delete(hash);
    }
  }
}

/** What is embedded of a tool. */
function searchText({ name, description, inputSchema: { properties } }: ToolDefinition): string {
  const parameters = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const list =
    parameters.length > 0 ? ` (${parameters.map((each) => wordsOf(each).join(" ")).join(", ")})` : "";
  return shortened(`${wordsOf(name).join(" ")}: ${description}${list}`);
}

/** The beginning and the end of a text that is too long. */
function shortened(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT / 2)}\n${text.slice(-MAX_TEXT / 2)}`;
}
