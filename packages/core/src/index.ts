export type { BatchOptions, CallOptions, CallSource, ToolCall } from "./call/call.ts";
export type { CallExecutor } from "./call/call-executor.ts";
export type { ContentPart, ImagePart, ResourcePart, TextPart } from "./call/content.ts";
export { textOf } from "./call/content.ts";
export type { Decoded, DecodeMode, Repair } from "./call/decoded.ts";
export type { CustomEffect, Effect, FileEffect, NetworkEffect, ProcessEffect } from "./call/effects.ts";
export {
  type CallEvent,
  type CallFact,
  type Correlation,
  type EventLog,
  EventStream,
  type EventType,
  type Listener,
  MemoryEventLog,
} from "./call/events.ts";
export { failedResult } from "./call/failed-result.ts";
export type { DataLabels } from "./call/labels.ts";
export type { Principal } from "./call/principal.ts";
export type { LogLevel, ProgressUpdate } from "./call/progress.ts";
export { type RedactOptions, Redactor } from "./call/redact.ts";
export { type MarkedOutcome, type Outcome, result, success, type ToolResult } from "./call/result.ts";
export { canonicalJson, hashText } from "./canonical.ts";
export { type Clock, sleep, systemClock } from "./clock.ts";
export {
  type ErrorCode,
  EXIT_CODE,
  type FailureCode,
  type FailureKind,
  HTTP_STATUS,
  JSON_RPC_CODE,
} from "./failure/codes.ts";
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
} from "./failure/failure.ts";
export {
  ApprovalQueue,
  type ApprovalQueueOptions,
  type GrantScope,
} from "./guards/approval/approval-queue.ts";
export type { ApprovalAnswer, ApprovalRequest, Approver } from "./guards/approval/approver.ts";
export { type BreakerOptions, breakerGuard } from "./guards/breaker.ts";
export { type Budgets, budgetGuard } from "./guards/budget.ts";
export { type Declassification, type FlowOptions, InformationFlow } from "./guards/flow/flow.ts";
export type { AfterInput, AfterVerdict, BatchPlace, Guard, GuardInput, Verdict } from "./guards/guard.ts";
export type { AfterAnswer, BeforeAnswer, Hooks } from "./guards/hooks.ts";
export { planFirst } from "./guards/plan-first.ts";
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
} from "./guards/policy/policy.ts";
export { POLICY_SCHEMA } from "./guards/policy/policy-schema.ts";
export { type ProtectedPathsOptions, protectedPaths } from "./guards/protected-paths.ts";
export { type ReadBeforeWriteOptions, readBeforeWrite } from "./guards/read-before-write.ts";
export { type RepeatOptions, repeatGuard, repeatLimits } from "./guards/repeat/repeat.ts";
export { type RepeatLimit, type RepeatLimits, Repeats } from "./guards/repeat/repeats.ts";
export { type VerifyOptions, verifyAfterEffects } from "./guards/verify-after-effects.ts";
export { newId } from "./ids.ts";
export { isThenable, type MaybePromise } from "./maybe-promise.ts";
export { nearestNames } from "./nearest.ts";
export { type Duration, formatDuration, parseDuration } from "./options/duration.ts";
export type { CounterValues } from "./pipeline/counters.ts";
export { Executor, type ExecutorOptions } from "./pipeline/executor.ts";
export type { Health } from "./pipeline/lifecycle.ts";
export { messageOf, toPlain } from "./plain.ts";
export { type ObservedEvent, observed } from "./recording/observe.ts";
export { type Reconciliation, reconcileOpen } from "./recording/reconcile-open.ts";
export { type RecordingExecutor, type RecordingOptions, recording } from "./recording/recording.ts";
export {
  type Injection,
  ReplayCrash,
  type ReplayingExecutor,
  type ReplayOptions,
  replaying,
} from "./recording/replaying.ts";
export { type AcceptedSchema, acceptSchema } from "./schema/accept.ts";
export type { InferInput } from "./schema/infer.ts";
export type { JsonSchema } from "./schema/json-schema.ts";
export { compileAllowlist } from "./source/allowlist.ts";
export { withCapabilities } from "./source/capabilities.ts";
export { processTools, registerTool } from "./source/global-tools.ts";
export { readResultTool } from "./source/read-result.ts";
export { type AddOptions, Registry, type RegistryOptions, type ToolStatus } from "./source/registry.ts";
export {
  combineSources,
  isToolSource,
  type ToolList,
  type ToolSelector,
  type ToolSource,
} from "./source/source.ts";
export {
  type ApprovalDecision,
  type ApprovalEntry,
  type ApprovalStore,
  type Grant,
  MemoryApprovalStore,
  type PendingApproval,
} from "./stores/approvals.ts";
export { type ArtifactStore, artifactId, MemoryArtifactStore } from "./stores/artifacts.ts";
export {
  type Catalog,
  type CatalogChange,
  type CatalogEntry,
  type CatalogKind,
  MemoryCatalog,
} from "./stores/catalog.ts";
export {
  type DescriptionChange,
  type DescriptionStore,
  MemoryDescriptionStore,
} from "./stores/descriptions.ts";
export {
  continuedElsewhere,
  type Journal,
  type JournalEntry,
  MemoryJournal,
  type RunHeader,
  type RunQuery,
  type RunSummary,
} from "./stores/journal.ts";
export {
  type Intent,
  type IntentState,
  type Ledger,
  MemoryLedger,
  type OpenIntent,
} from "./stores/ledger.ts";
export {
  type CallRecord,
  type CallStore,
  type LateRecord,
  MemoryCallStore,
  type Timing,
} from "./stores/records.ts";
export type { ToolContext } from "./tool/context.ts";
export { defineTool, isTool, tool } from "./tool/define-tool.ts";
export type { ToolAnnotations, ToolDefinition } from "./tool/definition.ts";
export { type AiSdkTool, fromAiSdk } from "./tool/from-ai-sdk.ts";
export type { Labels } from "./tool/labels.ts";
export type { Safety, SideEffects } from "./tool/safety.ts";
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
} from "./tool/tool.ts";
export { toAiSdk, toAnthropic, toMcp, toOpenAI, toOpenAIResponses } from "./tool/vendor-shapes.ts";
export { newestFirst, satisfies } from "./tool/version.ts";
