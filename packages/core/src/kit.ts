/**
 * For packages that stand on core: stores, executors, loops. What people who write tools and agents need is in `index.ts`.
 */

export { parseStrict } from "@toolrig/json/kit";
export { backoffDelay } from "./backoff.ts";
export { batchOptions, CALL_SOURCES, callOptions, type Refusal } from "./call/call.ts";
export {
  type BatchedCall,
  CallBatch,
  heldBackBy,
  runBatch,
  type Stopped,
} from "./call/call-batch.ts";
export { callStart, type EventSubject, emitCallEvent } from "./call/call-event.ts";
export type { CallingLoop } from "./call/calling-loop.ts";
export { cutPlace, isContentPart, splitText } from "./call/content.ts";
export { waitsWithin } from "./call/deferred.ts";
export { checkedEffects } from "./call/effects.ts";
export type { CallFact, EventType } from "./call/events.ts";
export { HeldCall, type HeldState } from "./call/held-call.ts";
export { joinLabels } from "./call/labels.ts";
export { failedResult } from "./call/make-result.ts";
export { type EarlierOnWaiting, onWaitingOf } from "./call/on-waiting.ts";
export { isSamePerson, principalOption } from "./call/principal.ts";
export { redactOption } from "./call/redact.ts";
export { isWaiting, type MarkedOutcome, type WaitingResult } from "./call/result.ts";
export {
  type CallTracer,
  type RunTrace,
  type TracedAnswer,
  type TracedInference,
  type TracedOutcome,
  type TracedRun,
  traceIn,
  traceOption,
  tracerOption,
} from "./call/trace.ts";
export { canonicalJson, hashText, isJsonValue } from "./canonical.ts";
export { type Clock, sleep, systemClock, wallTime } from "./clock.ts";
export { type Conformed, conform } from "./coerce/conform.ts";
export { snapshot } from "./copy.ts";
export { defined } from "./defined.ts";
export { type EnvironmentOptions, environmentOf } from "./environment.ts";
export { HTTP_STATUS, isFailureCode, JSON_RPC_CODE } from "./failure/codes.ts";
export type { ThrownError } from "./failure/thrown.ts";
export { type CircuitOptions, Circuits } from "./guards/breaker/circuits.ts";
export { labelsWithoutGuard } from "./guards/flow/answers.ts";
export type { Declassification } from "./guards/flow/flow.ts";
export type { BatchPlace } from "./guards/guard.ts";
export type { AfterAnswer, BeforeAnswer } from "./guards/hooks.ts";
export { hooksOptions } from "./guards/hooks.ts";
export { meansAny } from "./guards/match/paths.ts";
export type { PolicyExplanation, TimeWindow } from "./guards/policy/policy.ts";
export { repeatLimits, repeatOptions } from "./guards/repeat/repeat.ts";
export { type RepeatLimit, type RepeatLimits, Repeats } from "./guards/repeat/repeats.ts";
export { idMark, isMadeSince, newId } from "./ids.ts";
export { isObject, isRecord } from "./is-record.ts";
export { isThenable, type MaybePromise } from "./maybe-promise.ts";
export { nearestNames } from "./nearest.ts";
export { isAddress, mappedIPv4 } from "./network/address.ts";
export {
  type AllowedHosts,
  allowedHosts,
  checkAddress,
  type Destination,
  destinationOf,
} from "./network/destination.ts";
export { type CheckedThing, type Checks, check, checksFor } from "./options/check.ts";
export {
  type About,
  declaredOptions,
  declareOptions,
  type Option,
  type OptionSet,
  type OptionTable,
  omitOptions,
  pickOptions,
} from "./options/declare-options.ts";
export { formatDuration, MAX_TIMER_MS, parseDuration } from "./options/duration.ts";
export { type Declared, type ListFacts, option } from "./options/kinds.ts";
export type { CounterValues } from "./pipeline/counters.ts";
export type { Health } from "./pipeline/lifecycle.ts";
export { executorOptions } from "./pipeline/options.ts";
export { type PolicyCase, type PolicyVerdict, policyVerdict } from "./pipeline/policy-verdict.ts";
export type { RigParts, RigWith } from "./pipeline/rig-parts.ts";
export { approvedNotRunning } from "./pipeline/waiting/run-approved.ts";
export { waitingAnswer } from "./pipeline/waiting/waiting-result.ts";
export { messageOf, NO_OUTPUT, toPlain } from "./plain.ts";
export { programBeside } from "./program-beside.ts";
export type { RecordingOptions } from "./recording/recording.ts";
export { type RecoveredCall, recoveredRecord } from "./recording/recovered-record.ts";
export type { Injection } from "./recording/replaying.ts";
export { type AcceptedSchema, acceptSchema } from "./schema/accept.ts";
export { validatorFor } from "./schema/validate.ts";
export { sha256 } from "./sha256.ts";
export { compileAllowlist } from "./source/allowlist.ts";
export type { CallWaits } from "./source/call-executor.ts";
export { DefinitionList } from "./source/definition-list.ts";
export { withDescriptions } from "./source/described.ts";
export { globalTools } from "./source/global-tools.ts";
export { READ_RESULT } from "./source/read-result.ts";
export { definitionIn, isToolSource, newestAvailable, type ToolSelector } from "./source/source.ts";
export { sourceOf } from "./source/source-of.ts";
export { type SourceChanges, wrapSource } from "./source/wrap-source.ts";
export { speltOut } from "./spelt-out.ts";
export {
  type ApprovalDecision,
  type ApprovalEntry,
  type ApprovalStore,
  type Grant,
  MemoryApprovalStore,
  WaitingApprovals,
} from "./stores/approvals.ts";
export { type ArtifactStore, artifactId, MemoryArtifactStore } from "./stores/artifacts.ts";
export { passQuestions, stoppedAt } from "./stores/asked-question.ts";
export {
  type Catalog,
  type CatalogChange,
  type CatalogEntry,
  type CatalogKind,
  MemoryCatalog,
} from "./stores/catalog.ts";
export type { DescriptionChange, DescriptionStore } from "./stores/descriptions.ts";
export { DueQueue } from "./stores/due-queue.ts";
export {
  continuedElsewhere,
  type Journal,
  type JournalEntry,
  type RunHeader,
  type RunQuery,
  type RunSummary,
} from "./stores/journal.ts";
export {
  type Intent,
  type IntentState,
  type KnownExecution,
  type Ledger,
  type OpenIntent,
  wrapLedger,
} from "./stores/ledger.ts";
export type { CallStore, LateRecord } from "./stores/records.ts";
export {
  isNeeded,
  type OpenWork,
  type Pruned,
  type Retention,
  retentionLimits,
} from "./stores/retention.ts";
export {
  MemoryWaitStore,
  matchesWait,
  type Parked,
  type Wait,
  type WaitCount,
  type WaitEnd,
  type WaitFilter,
  type WaitStore,
  waitId,
} from "./stores/waits.ts";
export { AI_SDK, aiSdkContextFields, aiSdkFields } from "./tool/ai-sdk-fields.ts";
export { contentOfOutput } from "./tool/ai-sdk-output.ts";
export { defineTool, isGenerator, isTool } from "./tool/define-tool.ts";
export { definitionHash } from "./tool/definition.ts";
export { forCaller, isForCaller } from "./tool/for-caller.ts";
export { originOf, type ToolOrigin } from "./tool/origin.ts";
export { carriedFields, type PeerFields, refuseFields } from "./tool/peer-fields.ts";
export { exceeds, hasSideEffects, mayRepeat, UNDECLARED } from "./tool/safety.ts";
export { rateOptions, retryOptions, toolOptions } from "./tool/tool.ts";
export { mayBeMade, vendorName } from "./tool/vendor-name.ts";
export { vendorSchema } from "./tool/vendor-schema.ts";
export { newestFirst, satisfies } from "./tool/version.ts";
