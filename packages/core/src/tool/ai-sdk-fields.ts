import type { PeerFields } from "./peer-fields.ts";

/** What loops of the AI SDK are called by, and tools that come from it. */
export const AI_SDK = "ai-sdk";

/** Fields of a tool of the AI SDK. */
export const aiSdkFields = {
  type: ["carried", "A dynamic tool stays one; a provider's tool that your code runs keeps its type."],
  id: ["carried", "Of a provider's tool that your code runs."],
  args: ["carried", "Of a provider's tool that your code runs."],
  isProviderExecuted: [
    "carried",
    "False only: a tool that its provider runs has no `execute`, and is refused.",
  ],
  supportsDeferredResults: ["refused", "Results of tools that a provider runs never come here."],
  description: [
    "carried",
    "Also as a function of the context, unless the rig's own description store has another. Other loops get what it says without one.",
  ],
  title: ["carried", "The label of the tool here, too."],
  inputSchema: [
    "run",
    "The model is told the SDK's JSON Schema; arguments are validated by the schema's library in the pipeline.",
  ],
  outputSchema: ["run", "Enforced here on what the tool returns; the SDK is given it, too."],
  contextSchema: ["carried", "The SDK validates `toolsContext` by it."],
  execute: ["run", "Within the pipeline."],
  toModelOutput: [
    "carried",
    "Called by the SDK as without a rig. A result that the pipeline cut, rewrote or added advice to is told as it says. Other loops get what it makes of the value.",
  ],
  needsApproval: ["run", "By the rule of the pipeline, which asks in the SDK's own flow: once."],
  providerOptions: ["carried", "Cache control and the like reach the provider."],
  metadata: ["carried", "On the parts of the call, as without a rig."],
  strict: ["carried", "With the SDK's own JSON Schema."],
  deferLoading: ["carried", "The SDK's tool search finds it."],
  inputExamples: ["carried", "Other loops get them as part of the description."],
  onInputStart: [
    "carried",
    "Called by the SDK; where another loop makes the call, right before the tool runs.",
  ],
  onInputDelta: [
    "carried",
    "Called by the SDK while input streams; other loops show the tool no text of the model.",
  ],
  onInputAvailable: [
    "carried",
    "Called by the SDK; where another loop makes the call, right before the tool runs.",
  ],
} as const satisfies PeerFields;

/** What the AI SDK gives to `execute`. */
export const aiSdkContextFields = {
  toolCallId: ["carried", "The provider's id of the call."],
  messages: ["carried", "As the SDK gives them."],
  abortSignal: ["run", "Aborts as the SDK's does, and when a deadline of the pipeline passes."],
  context: ["carried", "What `toolsContext` holds for the tool; `fromAiSdk(…, { context })` elsewhere."],
  experimental_sandbox: ["carried", "As the SDK gives it."],
} as const satisfies PeerFields;
