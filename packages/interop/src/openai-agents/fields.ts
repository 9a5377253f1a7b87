import type { PeerFields } from "@toolrig/core/kit";

/** What loops of the OpenAI Agents SDK are called by, and tools that come from it. */
export const OPENAI_AGENTS = "openai-agents";

/** Fields of a `FunctionTool`. */
export const agentsFields = {
  type: ["carried", "Function tools alone are taken: what OpenAI runs cannot run here."],
  name: ["run", "The name of the tool here."],
  description: ["carried", "Unless the rig's own description store has another."],
  parameters: [
    "carried",
    "The SDK's JSON Schema. Arguments are validated by it in the pipeline, then by the tool's own parser.",
  ],
  strict: ["carried", "With the SDK's own schema."],
  deferLoading: ["carried", "The SDK's tool search finds it."],
  providerData: ["carried", "Sent with the definition."],
  allowedCallers: ["carried", "Sent with the definition."],
  outputSchema: ["carried", "Sent with the definition; the tool's own code validates by it."],
  invoke: ["run", "Within the pipeline, with the live run context and details."],
  errorFunction: [
    "run",
    "By the tool's own code. Where it is null, a thrown error is a result that the model is told, and does not end the run; with an output schema the SDK asks it, too.",
  ],
  needsApproval: [
    "run",
    "With the live run context, by the rule of the pipeline, which interrupts the run as the SDK does: once.",
  ],
  timeoutMs: ["carried", "Enforced by the SDK around the whole call, waiting in the pipeline included."],
  timeoutBehavior: ["carried", "By the SDK."],
  timeoutErrorFunction: ["carried", "By the SDK."],
  isEnabled: [
    "run",
    "Asked by the SDK on each turn, with the live run context and agent. Other loops ask before the tool runs, with the `context` that was given.",
  ],
  inputGuardrails: [
    "carried",
    "Run by the SDK before the pipeline, with their tripwires; a call that they keep from running is on record as blocked. Where another loop makes the call they run here, and a tripwire blocks it.",
  ],
  outputGuardrails: [
    "carried",
    "Run by the SDK behind the pipeline, with their tripwires. Where another loop makes the call they run here, and a tripwire withholds the result.",
  ],
  customDataExtractor: ["carried", "Called by the SDK with the output."],
} as const satisfies PeerFields;

/** What the SDK gives to `invoke`: its run context and the details of the call. */
export const agentsContextFields = {
  context: ["carried", "The live context of the run; `fromOpenAIAgents(tool, { context })` elsewhere."],
  usage: ["carried", "The run context is the SDK's own object."],
  toolInput: ["carried", "The run context is the SDK's own object."],
  getRejectionMessage: ["carried", "The run context is the SDK's own object."],
  toJSON: ["carried", "The run context is the SDK's own object."],
  isToolApproved: ["carried", "The run context is the SDK's own object."],
  approveTool: ["carried", "The run context is the SDK's own object."],
  rejectTool: ["carried", "The run context is the SDK's own object."],
  toolCall: [
    "carried",
    "As the model wrote it. A call of another loop has one that is made of its arguments.",
  ],
  resumeState: ["carried", "As the SDK gives it."],
  signal: ["run", "Aborts as the SDK's does, and when a deadline of the pipeline passes."],
  parentRunConfig: ["carried", "As the SDK gives it."],
} as const satisfies PeerFields;
