export type { DecodeMode, Repair } from "@toolrig/json";
export type { BatchOptions, CallOptions, CallSource, ToolCall } from "./call/call.ts";
export type { AudioPart, ContentPart, ImagePart, ResourcePart, TextPart } from "./call/content.ts";
export { textOf } from "./call/content.ts";
export type { Decoded } from "./call/decoded.ts";
export { type DeferredSpec, deferred } from "./call/deferred.ts";
export type { CustomEffect, Effect, FileEffect, NetworkEffect, ProcessEffect } from "./call/effects.ts";
export {
  type CallEvent,
  type Correlation,
  type EventLog,
  EventStream,
  type Listener,
  MemoryEventLog,
} from "./call/events.ts";
export type { DataLabels } from "./call/labels.ts";
export type { OnWaiting } from "./call/on-waiting.ts";
export type { Principal } from "./call/principal.ts";
export type { LogLevel, ProgressUpdate } from "./call/progress.ts";
export { type RedactOptions, Redactor } from "./call/redact.ts";
export { type Outcome, result, success, type ToolResult } from "./call/result.ts";
export type { TraceCarrier, Tracer } from "./call/trace.ts";
export type { Waiting, WaitKind } from "./call/waiting.ts";
export { type CoerceOptions, type Coercion, coerce } from "./coerce/coerce.ts";
export type { ErrorCode, FailureCode, FailureKind } from "./failure/codes.ts";
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
export { ApprovalQueue, type ApprovalQueueOptions } from "./guards/approval/approval-queue.ts";
export type { ApprovalAnswer, ApprovalRequest, Approver } from "./guards/approval/approver.ts";
export type { GrantScope } from "./guards/approval/grant.ts";
export { type BreakerOptions, breakerGuard } from "./guards/breaker/breaker.ts";
export { type Budgets, budgetGuard } from "./guards/budget.ts";
export { type FlowOptions, InformationFlow } from "./guards/flow/flow.ts";
export type { AfterInput, AfterVerdict, Guard, GuardInput, Verdict } from "./guards/guard.ts";
export type { Hooks } from "./guards/hooks.ts";
export { planFirst } from "./guards/plan-first.ts";
export {
  checkPolicy,
  explainPolicy,
  type Policy,
  type PolicyCondition,
  type PolicyOptions,
  type PolicyRule,
  type Profile,
  policyGuard,
} from "./guards/policy/policy.ts";
export { POLICY_SCHEMA } from "./guards/policy/policy-schema.ts";
export { type ProtectedPathsOptions, protectedPaths } from "./guards/protected-paths.ts";
export { type ReadBeforeWriteOptions, readBeforeWrite } from "./guards/read-before-write.ts";
export { type RepeatOptions, repeatGuard } from "./guards/repeat/repeat.ts";
export { type VerifyOptions, verifyAfterEffects } from "./guards/verify-after-effects.ts";
export type { Duration } from "./options/duration.ts";
export { Executor } from "./pipeline/executor.ts";
export type { ExecutorOptions } from "./pipeline/options.ts";
export type { Waits } from "./pipeline/waiting/waits.ts";
export { observed } from "./recording/layered-events.ts";
export { type Reconciliation, reconcileOpen } from "./recording/reconcile-open.ts";
export { type RecordingExecutor, recording } from "./recording/recording.ts";
export { ReplayCrash, type ReplayingExecutor, type ReplayOptions, replaying } from "./recording/replaying.ts";
export type { InferInput } from "./schema/infer.ts";
export type { JsonSchema } from "./schema/json-schema.ts";
export { askUserTool } from "./source/ask-user.ts";
export type { CallExecutor } from "./source/call-executor.ts";
export { withCapabilities } from "./source/capabilities.ts";
export { registerTool } from "./source/global-tools.ts";
export { readResultTool } from "./source/read-result.ts";
export { type AddOptions, Registry, type RegistryOptions, type ToolStatus } from "./source/registry.ts";
export { combineSources, type ToolList, type ToolSource } from "./source/source.ts";
export type { PendingApproval } from "./stores/approvals.ts";
export { MemoryDescriptionStore } from "./stores/descriptions.ts";
export { MemoryJournal } from "./stores/journal.ts";
export { MemoryLedger } from "./stores/ledger.ts";
export { type CallRecord, MemoryCallStore, type Timing } from "./stores/records.ts";
export type { Question, QuestionAnswer, ToolContext, WaitContext } from "./tool/context.ts";
export { tool } from "./tool/define-tool.ts";
export type { ToolAnnotations, ToolDefinition } from "./tool/definition.ts";
export { type AiSdkTool, fromAiSdk } from "./tool/from-ai-sdk.ts";
export type { Labels } from "./tool/labels.ts";
export type { Safety, SideEffects } from "./tool/safety.ts";
export type {
  AnyTool,
  AskedCall,
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
