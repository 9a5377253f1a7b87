import type { CallOptions, CallSource, Principal, ToolCall, ToolResult, Waiting } from "@toolrig/core";
import {
  CALL_SOURCES,
  canonicalJson,
  checkedEffects,
  defined,
  hashText,
  MAX_TIMER_MS,
  parseDuration,
  parseStrict,
} from "@toolrig/core/kit";
import { MalformedMessage } from "./malformed-message.ts";
import { keyOf, keyPrefix, pipelineIdOf, readExecuteSubject, token, unfitName, unfitToken } from "./names.ts";
import type { SignedApproval } from "./signed-approval.ts";

/** What travels. Everything that arrives is checked here before anything acts on it. */

export interface CallMessage {
  executionId: string;
  /** Its name in the ledger. */
  key: string;
  /** The id by which the worker's pipeline knows it: unique in the fleet, which the execution id is not. */
  pipelineId: string;
  /** As its caller said it. */
  call: ToolCall;
  /** The versions that may run it: the caller's range, or else the major version its subject names. */
  range: string | undefined;
  options: RemoteOptions;
  /** It came by a queue of high priority. */
  urgent: boolean;
  fingerprint: string;
  /** It is only a call, as other systems publish them: its caller waits for a plain result. */
  plain: boolean;
  /** The account that it came from, if that is not the fleet's. */
  account?: string;
  /** The caller that signed it, where signatures are demanded. */
  signedBy?: string;
  /** When, in epoch milliseconds. */
  signedAt?: number;
  /** What somebody with the right key said about it. Not verified yet. */
  approval?: SignedApproval;
}

/** The options of a call that make sense on another machine. */
type RemoteOptions = Pick<
  CallOptions,
  "complete" | "source" | "runId" | "requestId" | "stepName" | "timeout" | "trace"
> & {
  principal?: Principal;
  allow?: readonly string[];
  /** Its caller waits to be told, by an update of the type `ALLOWED`, that guards have let it pass. */
  batched?: boolean;
};

/** The type of the update that says that guards have let a call pass. */
export const ALLOWED = "call.allowed";

/** The state of one execution. Written by compare-and-set only; a final entry never changes. */
export type ExecutionState = StartedState | WaitingState | FinalState;

export interface StartedState {
  state: "started";
  worker: string;
  attempt: number;
  fingerprint: string;
  at: number;
  /** Whether the tool may run again after its worker was lost. */
  repeats?: boolean;
}

/** Its code has ended, and what it waits for is with the fleet's waits. It is nobody's until that comes. */
export interface WaitingState {
  state: "waiting";
  /** Its starts so far. */
  attempt: number;
  fingerprint: string;
  at: number;
  /** What its caller may be told meanwhile: says what it waits for. */
  result: ToolResult & { waiting: Waiting };
  /** The worker that sees it through, now that it has come, and since when. */
  settler?: { worker: string; at: number };
}

export type FinalState =
  | { state: "final"; fingerprint: string; result: ToolResult; at: number }
  /** A final result that is too large for the ledger. */
  | { state: "final"; fingerprint: string; object: string; at: number };

/** The fingerprint in an entry that was written without knowing which call it is about. */
export const UNKNOWN_CALL = "";

/** Tells whether an execution id belongs to the same call. Both sides make it themselves. */
export function fingerprintOf(call: ToolCall): string {
  return hashText(contentOf(call));
}

/** All that decides what a call does, as one text. */
export function contentOf(call: ToolCall): string {
  const args = typeof call.arguments === "string" ? call.arguments : canonicalJson(call.arguments ?? {});
  return `${call.name}@${call.version ?? ""}:${args}`;
}

export function encodeCall(
  executionId: string,
  caller: string | undefined,
  call: ToolCall,
  options: CallOptions & Pick<RemoteOptions, "batched">,
  approval: SignedApproval | undefined,
): string {
  const { complete, source, runId, requestId, stepName, principal, allow, timeout } = options;
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "timeout");
  const batched = options.batched === true ? true : undefined;
  const { id, name, version } = call;
  return JSON.stringify({
    executionId,
    caller,
    // A call needs no id where it is made. On the wire it is a call by having one.
    call: { id: id || executionId, name, version, arguments: call.arguments },
    options: { complete, source, runId, requestId, stepName, principal, allow, timeoutMs, batched },
    approval,
  });
}

/** A call that is too large for a message travels as the name of an object. */
export function readReference(text: string): string | undefined {
  if (!text.startsWith('{"object":')) return undefined;
  const { object } = parse(text);
  return typeof object === "string" ? object : undefined;
}

/**
 * Reads a call that came on a subject. A bare `{ id, name, arguments }`, as other systems publish it, is accepted: its call
 * id is then its execution id. The subject must be that of the tool: who may publish to one tool cannot call another. One from an
 * account of its own is filed under that account's name, and may claim no other.
 */
export function readCall(text: string, subject: string): CallMessage {
  const value = parse(text);
  const call = "call" in value ? record(value.call, "call") : value;
  const { id, name, version } = call;
  if (typeof name !== "string" || name === "") throw new MalformedMessage("the call has no name");
  if (typeof id !== "string" || id === "") throw new MalformedMessage("the call has no id");
  const place = readExecuteSubject(subject);
  if (place?.toolToken !== token(name))
    throw new MalformedMessage(`a call of ${name} does not belong on ${subject}`);
  const checked: ToolCall = { id, name, arguments: call.arguments ?? {} };
  if (typeof version === "string") checked.version = version;
  const executionId = optionalTextIn(value, "executionId") ?? id;
  const { account } = place;
  const caller = optionalTextIn(value, "caller") ?? account;
  const key = keyOf(executionId, caller);
  if (account !== undefined && keyPrefix(key) !== account)
    throw new MalformedMessage(`a call from account ${account} cannot be filed under ${keyPrefix(key)}`);
  const plain = !("call" in value) && account === undefined;
  // Its plain result is told under it.
  const unfit = plain ? unfitToken("key", id) : undefined;
  if (unfit !== undefined) throw new MalformedMessage(`the id of the call ${unfit}`);
  return {
    executionId,
    key,
    pipelineId: pipelineIdOf(key),
    call: checked,
    range: checked.version ?? (place.major === undefined ? undefined : `${place.major}.x`),
    options: readOptions(value.options),
    urgent: place.urgent,
    fingerprint: fingerprintOf(checked),
    plain,
    ...defined({ account }),
    ...(typeof value.approval === "object" &&
      value.approval !== null && { approval: value.approval as SignedApproval }),
  };
}

/** Undefined when it is not there. What is there and no text would name an execution that its caller does not wait for. */
function optionalTextIn(value: Record<string, unknown>, field: "executionId" | "caller"): string | undefined {
  const given = value[field] ?? "";
  if (typeof given === "string") return given === "" ? undefined : given;
  throw new MalformedMessage(`the ${field} of the call is not a text`);
}

export function readState(text: string): ExecutionState {
  const value = parse(text);
  const { state, worker, attempt, fingerprint, object, result } = value;
  const isStarted = state === "started" && isWorker(worker) && typeof attempt === "number";
  const isWaiting = state === "waiting" && typeof attempt === "number" && isWaitingResult(result);
  const isFinal = state === "final" && (typeof object === "string" || isResult(result));
  if (typeof fingerprint === "string" && (isStarted || isWaiting || isFinal)) {
    if (isResult(result)) withEffects(result);
    return value as unknown as ExecutionState;
  }
  throw new MalformedMessage(`the ledger holds an entry of unknown state "${String(state)}"`);
}

/** Whether a worker can be called so: it is asked on a subject with its name. */
function isWorker(name: unknown): name is string {
  return typeof name === "string" && /^[^\s.*>]+$/.test(name) && unfitName(name) === undefined;
}

/** A result as a caller may rely on it. Throws for anything else. */
export function readResult(text: string): ToolResult {
  const value = parse(text);
  if (isResult(value)) return withEffects(value);
  throw new MalformedMessage("the message is not a result");
}

/** A worker's effects are its claims: readers rely on their shape. */
function withEffects(result: ToolResult): ToolResult {
  if (result.effects !== undefined) result.effects = checkedEffects(result.effects);
  return result;
}

function isResult(value: unknown): value is ToolResult {
  if (typeof value !== "object" || value === null) return false;
  const { callId, executionId, name, isError, content, failure } = value as Record<string, unknown>;
  const texts = areTexts(callId, executionId, name);
  return texts && typeof isError === "boolean" && Array.isArray(content) && isError === isFailure(failure);
}

function isWaitingResult(value: unknown): boolean {
  if (!isResult(value) || typeof value.waiting !== "object" || value.waiting === null) return false;
  const { id, kind } = value.waiting;
  return areTexts(id, kind, kind);
}

function isFailure(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { code, kind, message } = value as Record<string, unknown>;
  return areTexts(code, kind, message);
}

function areTexts(first: unknown, second: unknown, third: unknown): boolean {
  return typeof first === "string" && typeof second === "string" && typeof third === "string";
}

function readOptions(value: unknown): RemoteOptions {
  if (typeof value !== "object" || value === null) return {};
  const given = value as Record<string, unknown>;
  const options: Record<string, unknown> = {};
  for (const key of ["runId", "requestId", "stepName"]) {
    if (typeof given[key] === "string" && given[key] !== "") options[key] = given[key];
  }
  if (typeof given.source === "string") options.source = sourceOf(given.source);
  if (given.complete === false) options.complete = false;
  if (given.batched === true) options.batched = true;
  if (typeof given.timeoutMs === "number" && given.timeoutMs > 0)
    options.timeout = Math.min(given.timeoutMs, MAX_TIMER_MS);
  if (typeof given.principal === "object" && given.principal !== null) options.principal = given.principal;
  if (given.allow !== undefined) options.allow = namesOf(given.allow);
  return options as RemoteOptions;
}

/** Policies decide by it, so that an unknown source must not count as a known one. */
function sourceOf(given: string): CallSource {
  const known = CALL_SOURCES.find((source) => source === given);
  if (known === undefined) throw new MalformedMessage("the source of the call is unknown");
  return known;
}

/** What a call is narrowed to. A list that is none must not leave it wide. */
function namesOf(given: unknown): readonly string[] {
  if (Array.isArray(given) && given.every((each) => typeof each === "string")) return given;
  throw new MalformedMessage("what the call may use is not a list of names");
}

function parse(text: string): Record<string, unknown> {
  const parsed = parseStrict(text, { subject: "the message" });
  if (!parsed.ok) throw new MalformedMessage(parsed.message);
  return record(parsed.value, "message");
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new MalformedMessage(`the ${what} is not an object`);
}
