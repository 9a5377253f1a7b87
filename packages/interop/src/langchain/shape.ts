/** The parts of LangChain's messages and configs that are read here. Copied in structure. */

export interface LangChainMessage {
  id?: string | undefined;
  getType?(): string;
  tool_calls?: LangChainCall[] | undefined;
  invalid_tool_calls?: { id?: string; name?: string; args?: string }[] | undefined;
  /** Of a message that was streamed: the model's own text. */
  tool_call_chunks?: LangChainChunk[] | undefined;
  response_metadata?: Record<string, unknown> | undefined;
  additional_kwargs?: Record<string, unknown> | undefined;
  artifact?: unknown;
  content?: unknown;
  /** Of a result. */
  tool_call_id?: string | undefined;
  name?: string | undefined;
}

export interface LangChainChunk {
  id?: string;
  args?: string;
  index?: number;
}

export interface LangChainCall {
  id?: string | undefined;
  name: string;
  args: Record<string, unknown>;
  type?: "tool_call";
}

/** What a tool is told of the graph it runs in. */
export interface LangChainConfig {
  signal?: AbortSignal | undefined;
  toolCall?: { id?: string | undefined };
  configurable?: Record<string, unknown> | undefined;
  state?: unknown;
  writer?: ((chunk: unknown) => void) | null | undefined;
}

/** A tool of LangChain, by the parts that are used to run it in a rig. */
export interface LangChainTool {
  name: string;
  description: string;
  schema: unknown;
  returnDirect?: boolean | undefined;
  responseFormat?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  toJSON?(): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: typed by each tool's schema
  invoke(input: any, config?: any): Promise<unknown>;
}

/** The messages of a graph's state, whichever of the two usual forms that has. */
export function messagesIn(state: unknown): readonly LangChainMessage[] {
  if (Array.isArray(state)) return state;
  const { messages } = (state ?? {}) as { messages?: unknown };
  return Array.isArray(messages) ? messages : [];
}

export function typeOf(message: LangChainMessage | undefined): string | undefined {
  return message?.getType?.();
}

/** The calls of the last answer of the model. */
export function lastCalls(state: unknown): readonly LangChainCall[] {
  return messagesIn(state).findLast((message) => typeOf(message) === "ai")?.tool_calls ?? [];
}
