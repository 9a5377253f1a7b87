export { compileAllowlist } from "./allowlist.ts";
export { ApprovalQueue, type ApprovalQueueOptions, type GrantScope } from "./approval-queue.ts";
export {
  type ApprovalDecision,
  type ApprovalEntry,
  type ApprovalStore,
  type Grant,
  MemoryApprovalStore,
  type PendingApproval,
} from "./approvals.ts";
export { type ArtifactStore, artifactId, MemoryArtifactStore } from "./artifacts.ts";
export type { BatchOptions, CallOptions, CallSource, ToolCall } from "./call.ts";
export { canonicalJson, hashText } from "./canonical.ts";
export { withCapabilities } from "./capabilities.ts";
export {
  type Catalog,
  type CatalogChange,
  type CatalogEntry,
  type CatalogKind,
  MemoryCatalog,
} from "./catalog.ts";
export { type Clock, sleep, systemClock } from "./clock.ts";
export {
  type ErrorCode,
  EXIT_CODE,
  type FailureCode,
  type FailureKind,
  HTTP_STATUS,
  JSON_RPC_CODE,
} from "./codes.ts";
export type { ContentPart, ImagePart, ResourcePart, TextPart } from "./content.ts";
export { messageOf, textOf, toPlain } from "./content.ts";
export type { LogLevel, Principal, ProgressUpdate, ToolContext } from "./context.ts";
export type { CounterValues } from "./counters.ts";
export { defineTool, isTool, tool } from "./define-tool.ts";
export {
  type ToolAnnotations,
  type ToolDefinition,
  toAiSdk,
  toAnthropic,
  toMcp,
  toOpenAI,
  toOpenAIResponses,
} from "./definition.ts";
export {
  type DescriptionChange,
  type DescriptionStore,
  MemoryDescriptionStore,
} from "./description-store.ts";
export { type Duration, formatDuration, parseDuration } from "./duration.ts";
export type { CustomEffect, Effect, FileEffect, NetworkEffect, ProcessEffect } from "./effects.ts";
export {
  type CallEvent,
  type CallFact,
  type Correlation,
  type EventLog,
  EventStream,
  type EventType,
  type Listener,
  MemoryEventLog,
} from "./events.ts";
export { Executor, type ExecutorOptions } from "./executor.ts";
export { failedResult } from "./failed-result.ts";
export {
  type ArgumentIssue,
  denied,
  type Failure,
  type FailureInput,
  failure,
  ToolFailure,
  ToolrigError,
  transient,
  unavailable,
  validation,
} from "./failure.ts";
export { type AiSdkTool, fromAiSdk } from "./from-ai-sdk.ts";
export type {
  AfterInput,
  AfterVerdict,
  ApprovalAnswer,
  ApprovalRequest,
  Approver,
  BatchPlace,
  Guard,
  GuardInput,
  Verdict,
} from "./guard.ts";
export { type BreakerOptions, breakerGuard } from "./guards/breaker.ts";
export { type Budgets, budgetGuard } from "./guards/budget.ts";
export { type Declassification, type FlowOptions, InformationFlow } from "./guards/flow.ts";
export type { AfterAnswer, BeforeAnswer, Hooks } from "./guards/hooks.ts";
export {
  checkPolicy,
  explainPolicy,
  type Policy,
  type PolicyCondition,
  type PolicyExplanation,
  type PolicyOptions,
  type PolicyRule,
  type Profile,
  policyGuard,
  type TimeWindow,
} from "./guards/policy.ts";
export { POLICY_SCHEMA } from "./guards/policy-schema.ts";
export { type RepeatOptions, repeatGuard, repeatLimits } from "./guards/repeat.ts";
export { type RepeatLimit, type RepeatLimits, Repeats } from "./guards/repeats.ts";
export {
  type ProtectedPathsOptions,
  planFirst,
  protectedPaths,
  type ReadBeforeWriteOptions,
  readBeforeWrite,
  type VerifyOptions,
  verifyAfterEffects,
} from "./guards/workflow.ts";
export { newId } from "./ids.ts";
export {
  continuedElsewhere,
  type Journal,
  type JournalEntry,
  MemoryJournal,
  type RunHeader,
  type RunQuery,
  type RunSummary,
} from "./journal.ts";
export type { DecodeMode, Repair } from "./json/repair.ts";
export type { DataLabels, Labels } from "./labels.ts";
export { type Intent, type IntentState, type Ledger, MemoryLedger, type OpenIntent } from "./ledger.ts";
export type { Health } from "./lifecycle.ts";
export { isThenable, type MaybePromise } from "./maybe-promise.ts";
export { nearestNames } from "./nearest.ts";
export { type ObservedEvent, observed } from "./observe.ts";
export { processTools, registerTool } from "./process-tools.ts";
export { readResultTool } from "./read-result.ts";
export { type Reconciliation, reconcileOpen } from "./reconcile-open.ts";
export { type CallRecord, type CallStore, type LateRecord, MemoryCallStore, type Timing } from "./record.ts";
export { type CallExecutor, type RecordingExecutor, type RecordingOptions, recording } from "./recording.ts";
export { type RedactOptions, Redactor } from "./redact.ts";
export { type AddOptions, Registry, type RegistryOptions, type ToolStatus } from "./registry.ts";
export {
  type Injection,
  ReplayCrash,
  type ReplayingExecutor,
  type ReplayOptions,
  replaying,
} from "./replaying.ts";
export {
  type Decoded,
  type MarkedOutcome,
  type Outcome,
  result,
  success,
  type ToolResult,
} from "./result.ts";
export type { Safety, SideEffects } from "./safety.ts";
export { type AcceptedSchema, acceptSchema } from "./schema/accept.ts";
export type { InferInput } from "./schema/infer.ts";
export type { JsonSchema } from "./schema/json-schema.ts";
export { combineSources, isToolSource, type ToolList, type ToolSelector, type ToolSource } from "./source.ts";
export type {
  AnyTool,
  Example,
  Lock,
  OutputOf,
  Preference,
  Rate,
  Reconciled,
  Retry,
  Tool,
  ToolReturn,
  ToolSpec,
} from "./tool.ts";
export { newestFirst, satisfies } from "./version.ts";
