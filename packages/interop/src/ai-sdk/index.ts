/** Toolrig beneath the AI SDK: `generateText`, `streamText`, `ToolLoopAgent`. */

export type { AssembledRig, RigLike } from "../beneath/rig-like.ts";
export type { GivenRun, RunIdentity } from "../beneath/run-identity.ts";
export { ToolCallError } from "../beneath/shown.ts";
export { endOfRun } from "./end-of-run.ts";
export { type RigMiddlewareOptions, rigMiddleware } from "./middleware.ts";
export type { AiSdkCall, AiSdkOptions } from "./options.ts";
export { repairToolCall } from "./repair-tool-call.ts";
export { toAiSdkTools } from "./to-ai-sdk-tools.ts";
