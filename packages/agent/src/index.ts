export type { NestedRun } from "./calls/nested-run.ts";
export { type AiSdkEngineOptions, aiSdkEngine } from "./engines/ai-sdk.ts";
export type { AiSdkModel } from "./engines/ai-sdk-model.ts";
export { type Script, type ScriptedCall, type ScriptedReply, scriptedEngine } from "./engines/scripted.ts";
export type { LoopToolOptions } from "./loop/as-tool.ts";
export { AgentLoop } from "./loop/loop.ts";
export {
  type AgentLoopOptions,
  agentLoopOptions,
  type Budgets,
  type RunOptions,
  runOptions,
  type TrimOptions,
} from "./loop/options.ts";
export type { Run } from "./loop/run.ts";
export { StructuredLoop, type StructuredLoopOptions, type StructuredOutcome } from "./loop/structured.ts";
export type { Engine, EngineEvent, EngineRequest, FinishReason, Metadata, Usage } from "./model/engine.ts";
export { type FaultKind, faultOf, ModelFault } from "./model/faults.ts";
export type {
  AssistantMessage,
  AssistantPart,
  Message,
  SystemMessage,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
  UserMessage,
} from "./model/message.ts";
export { type RepairedTranscript, repairTranscript, transcriptProblems } from "./model/transcript.ts";
export type { PlanProblem } from "./plan/check.ts";
export type { PlanEvent, PlanFact } from "./plan/events.ts";
export type { PlanExecutorOptions, PlanRunOptions } from "./plan/options.ts";
export type { PlanOutcome, StepError, StepReport } from "./plan/outcome.ts";
export type {
  Action,
  Condition,
  InferAction,
  LoopAction,
  MapAction,
  Plan,
  Reference,
  Step,
  StepBase,
  StepRetry,
  ToolAction,
  ValidateAction,
} from "./plan/plan.ts";
export { PlanExecutor } from "./plan/plan-executor.ts";
export { planSchema } from "./plan/schema.ts";
export type { RunningPlan } from "./plan/start.ts";
export type { AnswerInput, LoopHooks, ResultsInput, TurnChanges, TurnInput } from "./run/hooks.ts";
export type { CallInLoop, LoopEvent, LoopFact } from "./run/loop-event.ts";
export { type Answer, orThrow, type RunError, type RunOutcome, type WaitingCall } from "./run/outcome.ts";
export type { Delivery, SayOptions, UserInput } from "./run/steering.ts";
export type { Trace } from "./run/trace.ts";
export type { Trimmed } from "./run/trim.ts";
export type { WhenReadyOptions } from "./run/when-ready.ts";
export type { AiSdkEmbeddingModel, Embedder } from "./select/embedder.ts";
export { type FindToolsOptions, findToolsTool } from "./select/find-tools.ts";
export type { EmbedOptions } from "./select/meaning.ts";
export type { SelectionOptions } from "./select/offering.ts";
export { selectTools } from "./select/select-tools.ts";
export { type Ranked, ToolIndex } from "./select/tool-index.ts";
export { type AgUiEvent, type AgUiOptions, toAgUi } from "./ui/ag-ui.ts";
export {
  toUIMessageStream,
  type UiMessageChunk,
  type UiMessageStreamOptions,
} from "./ui/ui-message-stream.ts";
