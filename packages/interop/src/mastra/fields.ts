import type { PeerFields } from "@toolrig/core/kit";

/** What loops of Mastra are called by, and tools that come from it. */
export const MASTRA = "mastra";

/** Fields of a `Tool`. */
export const mastraFields = {
  id: ["run", "The name of the tool here."],
  title: ["carried", "The label of the tool here, too."],
  description: ["carried", "Unless the rig's own description store has another."],
  inputSchema: [
    "run",
    "The model is told Mastra's JSON Schema; arguments are validated by the schema's library in the pipeline.",
  ],
  outputSchema: ["run", "Enforced on what the tool returns."],
  suspendSchema: ["carried", "Enforced by the tool's own code on what it suspends with."],
  resumeSchema: [
    "carried",
    "Mastra tells it to whoever resumes; elsewhere it is the schema of the question.",
  ],
  requestContextSchema: ["run", "By the tool's own code, on the live request context."],
  execute: [
    "run",
    "Within the pipeline. A tool that returns nothing is told as `(no output)`, where Mastra tells its model nothing.",
  ],
  mastra: ["not ours", "Mastra sets it on its own tools; code finds it in its context."],
  requireApproval: [
    "carried",
    "An agent of Mastra asks as without a rig, and the pipeline does not ask again. Elsewhere the pipeline asks. What its guards ask suspends the run.",
  ],
  needsApprovalFn: ["carried", "As `requireApproval`."],
  strict: ["carried", "Sent with the definition."],
  providerOptions: ["carried", "Cache control and the like reach the provider."],
  toModelOutput: [
    "carried",
    "Called by Mastra as without a rig. A result that the pipeline cut, rewrote or added advice to is told as it says.",
  ],
  transform: ["carried", "Of what is displayed and kept."],
  mcp: ["carried", "Its annotations are the safety of the tool here."],
  mcpMetadata: ["carried", "Names the span of the call."],
  onInputStart: [
    "carried",
    "Called by Mastra; other loops show the tool nothing of its input before it runs.",
  ],
  onInputDelta: [
    "carried",
    "Called by Mastra; other loops show the tool nothing of its input before it runs.",
  ],
  onInputAvailable: [
    "carried",
    "Called by Mastra; other loops show the tool nothing of its input before it runs.",
  ],
  onOutput: ["carried", "Called by Mastra with the tool's own output."],
  inputExamples: ["carried", "Sent with the definition."],
  background: ["carried", "Mastra decides where the call runs."],
} as const satisfies PeerFields;

/** What Mastra gives to `execute`. */
export const mastraContextFields = {
  mastra: ["carried", "As Mastra gives it."],
  requestContext: ["carried", "The live request context of the run."],
  abortSignal: ["run", "Aborts as Mastra's does, and when a deadline of the pipeline passes."],
  actor: ["carried", "As Mastra gives it."],
  workspace: ["carried", "As Mastra gives it."],
  browser: ["carried", "As Mastra gives it."],
  writer: ["carried", "Writes into Mastra's own stream."],
  agent: ["carried", "With the call's id, its messages, and `suspend` and `resumeData` of the tool's own."],
  workflow: ["carried", "As Mastra gives it."],
  mcp: ["carried", "As Mastra gives it."],
  background: ["carried", "As Mastra gives it."],
  suspend: ["carried", "Suspends the run; the call begins anew when it is resumed."],
  resumeData: ["carried", "What the run was resumed with for this tool, and nothing that a model wrote."],
  suspendPayload: ["carried", "What the tool suspended with."],
  observe: ["carried", "Spans and logs of the tool are below the call's own."],
  tracing: ["carried", "As Mastra gives it."],
  tracingContext: ["carried", "As Mastra gives it."],
  loggerVNext: ["carried", "As Mastra gives it."],
  metrics: ["carried", "As Mastra gives it."],
} as const satisfies PeerFields;
