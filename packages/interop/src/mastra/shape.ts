/** The parts of Mastra that are used here. Copied in structure, so that nothing of it need be installed. */

/** Where a tool says that it cannot go on, and finds what it is to go on with. */
interface MastraSuspension {
  suspend?(payload: unknown, options?: unknown): Promise<unknown>;
  resumeData?: unknown;
  /** What it suspended with. Mastra sets it, and no model can. */
  suspendPayload?: unknown;
}

/** What a tool is told of the run it is called in. */
export interface MastraContext {
  abortSignal?: AbortSignal;
  /** Of the agent's run, also when that is resumed. */
  runId?: string;
  writer?: { write(chunk: unknown): unknown };
  agent?: MastraSuspension & { toolCallId: string; threadId?: string; resourceId?: string };
  workflow?: MastraSuspension & { runId: string };
  mastra?: { getStorage?(): unknown };
  requestContext?: unknown;
  workspace?: unknown;
  suspend?(payload: unknown, options?: unknown): Promise<unknown>;
  resumeData?: unknown;
  suspendPayload?: unknown;
}

/** A tool of `createTool`. */
export interface MastraTool {
  id: string;
  title?: string | undefined;
  description: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
  resumeSchema?: unknown;
  // Functions of types that differ with the schemas of each tool.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  execute?: ((input: any, context: any) => Promise<unknown>) | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  requireApproval?: boolean | ((input: any, context?: any) => boolean | Promise<boolean>) | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  needsApprovalFn?: ((input: any, context?: any) => boolean | Promise<boolean>) | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  onInputAvailable?: ((options: any) => unknown) | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  toModelOutput?: ((output: any) => unknown) | undefined;
  mcp?: { annotations?: { readOnlyHint?: boolean; idempotentHint?: boolean } } | undefined;
}
