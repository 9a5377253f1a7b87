/**
 * The AI SDK's language model specification in its versions 2, 3 and 4, by the parts that are used here. Copied in
 * structure, so that a model of any version is taken without depending on the AI SDK.
 */
export interface AiSdkModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  // The three versions type their options differently; what is passed is built to the version that the model names.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doStream(options: any): PromiseLike<{ stream: ReadableStream<any> }>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doGenerate(options: any): PromiseLike<any>;
}

/** One part of a stream, or of the content of a finished response, as far as it is read. */
export interface AiSdkPart {
  type: string;
  id?: string;
  delta?: string;
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
  result?: unknown;
  isError?: boolean;
  preliminary?: boolean;
  providerExecuted?: boolean;
  dynamic?: boolean;
  inputEncoding?: string;
  data?: unknown;
  mediaType?: string;
  kind?: string;
  providerMetadata?: Record<string, unknown>;
  usage?: AiSdkUsage;
  finishReason?: AiSdkFinish;
  error?: unknown;
}

/** In version 2 a word; since then also what the provider itself said, where it said anything. */
export type AiSdkFinish = string | { unified: string; raw?: string | undefined };

type Count =
  | number
  | undefined
  | { total?: number; cacheRead?: number; cacheWrite?: number; reasoning?: number };

/** Flat numbers in version 2, nested ones since. */
export interface AiSdkUsage {
  inputTokens?: Count;
  outputTokens?: Count;
  cachedInputTokens?: number;
  reasoningTokens?: number;
}

export interface AiSdkResponse {
  content: readonly AiSdkPart[];
  finishReason: AiSdkFinish;
  usage?: AiSdkUsage;
}
