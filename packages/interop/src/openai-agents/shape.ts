/** The parts of the OpenAI Agents SDK that are used here. Copied in structure, so that nothing of it need be installed. */

/** What a run knows; one for each run. */
export interface AgentsRunContext {
  context: unknown;
  isToolApproved(approval: { toolName: string; callId: string }): boolean | undefined;
  /** Which calls of which tools were approved: those with these ids, or all. */
  toJSON?(): { approvals?: Record<string, { approved: boolean | string[] }> };
  getRejectionMessage?(toolName: string, callId: string): string | undefined;
}

export interface AgentsCallDetails {
  toolCall?: { callId: string } | undefined;
  signal?: AbortSignal | undefined;
}

export type AgentsOutput = string | AgentsOutputPart[];

type AgentsOutputPart =
  | { type: "text"; text: string }
  | { type: "image"; image: { data: string; mediaType: string } };

/** A `FunctionTool`. */
export interface AgentsTool {
  type: "function";
  name: string;
  description: string;
  // The SDK types schemas by the parameters of each tool.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  parameters: any;
  strict: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own context is a class with private parts
  invoke(runContext: any, input: string, details?: any): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  needsApproval(runContext: any, input: any, callId?: string): Promise<boolean>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  isEnabled(runContext: any, agent: any): Promise<boolean>;
  inputGuardrails?: AgentsGuardrail[];
  outputGuardrails?: AgentsGuardrail[];
}

/** A guardrail of a tool. */
export interface AgentsGuardrail {
  // biome-ignore lint/suspicious/noExplicitAny: "tool_input" or "tool_output", and what the SDK shows to each
  type: any;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  run(data: any): Promise<{ outputInfo?: any; behavior: any }>;
}

export type GuardrailBehavior =
  | { type: "allow" }
  | { type: "rejectContent"; message: string }
  | { type: "throwException" };

/** A `Model`: what a runner asks. */
export interface AgentsModel {
  // biome-ignore lint/suspicious/noExplicitAny: requests are passed on as they are
  getResponse(request: any): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: requests and events are passed on as they are
  getStreamedResponse(request: any): AsyncIterable<any>;
}

/** A `ModelProvider`: what a runner gets its models from. */
export interface AgentsModelProvider {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own models
  getModel(modelName?: string): any;
}
