import { messageOf } from "@toolrig/core/kit";

/**
 * The AI SDK's embedding model specification in its versions 2, 3 and 4, by the parts that are used here. Copied in
 * structure, so that a model of any version is taken without depending on the AI SDK.
 */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  doEmbed(options: { values: string[]; abortSignal?: AbortSignal }): PromiseLike<{ embeddings: number[][] }>;
}

/**
 * What makes vectors of texts, one each and in their order, so that texts of like meaning have like vectors: an AI SDK
 * embedding model or a function.
 */
export type Embedder = AiSdkEmbeddingModel | ((texts: string[]) => PromiseLike<number[][]>);

/** How many texts go to an embedder at once, where it does not want fewer. */
const BATCH = 100;
/** How long an embedder may take for them. */
const CALL_MS = 30_000;

export const EMBEDDER = "an AI SDK embedding model or a function from texts to vectors";

export function isEmbedder(value: unknown): value is Embedder {
  return typeof value === "function" || typeof (value as AiSdkEmbeddingModel | null)?.doEmbed === "function";
}

/** How many texts an embedder takes in one call. */
export async function batchSize(embed: Embedder): Promise<number> {
  const most = typeof embed === "function" ? undefined : await embed.maxEmbeddingsPerCall;
  return most !== undefined && most >= 1 ? Math.min(BATCH, Math.floor(most)) : BATCH;
}

/** A vector of length 1 for each text. Rejects with what the embedder did wrong, also when it takes too long. */
export async function embedTexts(embed: Embedder, texts: readonly string[]): Promise<Float32Array[]> {
  const abortSignal = AbortSignal.timeout(CALL_MS);
  const late = new Promise<never>((_, reject) => {
    abortSignal.addEventListener("abort", () => reject(abortSignal.reason), { once: true });
  });
  const vectors = await Promise.race([late, call(embed, [...texts], abortSignal)]);
  if (!Array.isArray(vectors) || vectors.length !== texts.length) {
    const received = Array.isArray(vectors) ? vectors.length : messageOf(vectors);
    throw new Error(
      `The embedder was given ${texts.length} texts and must return as many vectors; got ${received}.`,
    );
  }
  return vectors.map(unitVector);
}

async function call(embed: Embedder, values: string[], abortSignal: AbortSignal): Promise<unknown> {
  if (typeof embed === "function") return embed(values);
  return (await embed.doEmbed({ values, abortSignal })).embeddings;
}

function unitVector(numbers: unknown): Float32Array {
  const vector = Float32Array.from(Array.isArray(numbers) || numbers instanceof Float32Array ? numbers : []);
  const length = Math.sqrt(likeness(vector, vector));
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) {
    throw new Error("The embedder must return vectors of numbers that are not all 0.");
  }
  return vector.map((each) => each / length);
}

/** The cosine of two vectors of length 1: the sum of the products, two at a time, which is twice as fast. */
export function likeness(a: Float32Array, b: Float32Array): number {
  let [sum, other] = [0, 0];
  const even = a.length & ~1;
  for (let at = 0; at < even; at += 2) {
    sum += (a[at] ?? 0) * (b[at] ?? 0);
    other += (a[at + 1] ?? 0) * (b[at + 1] ?? 0);
  }
  if (even < a.length) sum += (a[even] ?? 0) * (b[even] ?? 0);
  return sum + other;
}
