export { endOfRun } from "./end-of-run.ts";
export { fromOpenAIAgents } from "./from-openai-agents.ts";
export { runConfigFor } from "./run-config.ts";
export type { AgentsModel, AgentsModelProvider, AgentsRunContext, AgentsTool } from "./shape.ts";
export { type OpenAIAgentsOptions, toOpenAIAgentsTools } from "./to-openai-agents.ts";
export { withRawArguments } from "./with-raw-arguments.ts";
