/** Toolrig beneath loops that are not its own. Each peer has an entry of its own; here is what needs none of them. */

export type { AssembledRig, RigLike } from "./beneath/rig-like.ts";
export type { GivenRun, RunIdentity } from "./beneath/run-identity.ts";
export { projectAnthropic, projectGemini, projectOpenAI, type VendorTool } from "./schema/project.ts";
export type { Loss } from "./schema/projected.ts";
export type { AnswerOptions, VendorLoop, VendorOptions } from "./vendors/vendor-loop.ts";
export {
  type AnthropicLoop,
  anthropic,
  type GeminiLoop,
  gemini,
  type OpenAIChatLoop,
  type OpenAILoop,
  type OpenAIOptions,
  openai,
} from "./vendors/vendors.ts";
