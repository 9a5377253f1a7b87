import type { PeerFields } from "@toolrig/core/kit";

/** What loops of pi are called by, and tools that come from it. */
export const PI = "pi";

/** Fields of an `AgentTool`. */
export const piFields = {
  name: ["run", "The name of the tool here."],
  label: ["carried", "The label of the tool here, too."],
  description: ["carried", "Unless the rig's own description store has another."],
  parameters: ["carried", "What the model is told. Arguments are validated by it in the pipeline."],
  constrainedSampling: ["carried", "Sent with the definition by providers that know it."],
  prepareArguments: ["run", "Before the pipeline validates arguments."],
  execute: ["run", "Within the pipeline."],
  replay: ["carried", '"safe" counts as idempotent here.'],
  executionMode: [
    "carried",
    'Of a sequential tool pi runs the whole response in turn. So it does for `mode: "sequential"` of the rig\'s own tools.',
  ],
} as const satisfies PeerFields;

/** What pi gives to `execute`, by the place of it. */
export const piContextFields = {
  toolCallId: ["carried", "The provider's id of the call."],
  params: ["run", "What the pipeline made of the model's arguments."],
  signal: ["run", "Aborts as the agent's does, and when a deadline of the pipeline passes."],
  onUpdate: ["carried", "pi's own; the rig's events have each update, too."],
} as const satisfies PeerFields;

/** What a tool of pi answers with. */
export const piResultFields = {
  content: ["carried", "As the tool gave it, unless the pipeline cut, rewrote or added to it."],
  details: ["carried", "As the tool gave them."],
  usage: ["carried", "As the tool gave it; a result that is repeated after a crash has none."],
  terminate: ["carried", "The run ends when all results of a batch ask for it."],
} as const satisfies PeerFields;
