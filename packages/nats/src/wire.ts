import type { CallOptions, Principal, ToolCall, ToolResult } from "@toolrig/core";
import { canonicalJson, hashText } from "@toolrig/core";

/** What travels. Everything that arrives is checked here before anything acts on it. */

export interface CallMessage {
  executionId: string;
  call: ToolCall;
  options: RemoteOptions;
  fingerprint: string;
  /** Epoch milliseconds. */
  submittedAt: number;
}

/** The options of a call that make sense on another machine. */
export type RemoteOptions = Pick<CallOptions, "complete" | "source" | "runId" | "requestId" | "stepName"> & {
  principal?: Principal;
};

/** The state of one execution. Written by compare-and-set only; a final entry never changes. */
export type JournalState =
  | { state: "started"; worker: string; attempt: number; fingerprint: string; at: number }
  | { state: "final"; fingerprint: string; result: ToolResult; at: number }
  /** A final result that is too large for the journal. */
  | { state: "final"; fingerprint: string; object: string; at: number };

export function fingerprintOf(call: ToolCall): string {
  const args = typeof call.arguments === "string" ? call.arguments : canonicalJson(call.arguments ?? {});
  return hashText(`${call.name}@${call.version ?? ""}:${args}`);
}

export class MalformedMessage extends Error {}

/**
 * Reads a call. A bare `{ id, name, arguments }`, as other systems publish it, is accepted: its call id is then its
 * execution id.
 */
export function readCall(text: string): CallMessage {
  const value = parse(text);
  const call = "call" in value ? record(value.call, "call") : value;
  const { id, name, version } = call;
  if (typeof name !== "string" || name === "") throw new MalformedMessage("the call has no name");
  if (typeof id !== "string" || id === "") throw new MalformedMessage("the call has no id");
  const checked: ToolCall = { id, name, arguments: call.arguments ?? {} };
  if (typeof version === "string") checked.version = version;
  const executionId =
    typeof value.executionId === "string" && value.executionId !== "" ? value.executionId : id;
  return {
    executionId,
    call: checked,
    options: readOptions(value.options),
    fingerprint: typeof value.fingerprint === "string" ? value.fingerprint : fingerprintOf(checked),
    submittedAt: typeof value.submittedAt === "number" ? value.submittedAt : Date.now(),
  };
}

export function readState(text: string): JournalState {
  const value = parse(text);
  if (value.state === "started" || value.state === "final") return value as unknown as JournalState;
  throw new MalformedMessage(`the journal holds an entry of unknown state "${String(value.state)}"`);
}

function readOptions(value: unknown): RemoteOptions {
  if (typeof value !== "object" || value === null) return {};
  const given = value as Record<string, unknown>;
  const options: Record<string, unknown> = {};
  for (const key of ["source", "runId", "requestId", "stepName"]) {
    if (typeof given[key] === "string") options[key] = given[key];
  }
  if (given.complete === false) options.complete = false;
  if (typeof given.principal === "object" && given.principal !== null) options.principal = given.principal;
  return options as RemoteOptions;
}

function parse(text: string): Record<string, unknown> {
  try {
    return record(JSON.parse(text), "message");
  } catch (error) {
    if (error instanceof MalformedMessage) throw error;
    throw new MalformedMessage(
      `the message is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new MalformedMessage(`the ${what} is not an object`);
}
