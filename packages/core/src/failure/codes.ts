/**
 * Every code a result or an error can carry. Codes are stable: they are never renamed or reused, and each has an
 * entry in every map below, so that a code without a transport mapping does not compile.
 */

/** Who is at fault and what may be done about it. Behaviour branches on the kind, never on the message. */
export type FailureKind =
  | "validation"
  | "not_found"
  | "denied"
  | "unavailable"
  | "transient"
  | "timeout"
  | "cancelled"
  | "unknown"
  | "budget"
  | "fatal";

/** Codes of a call that did not succeed. They are returned in a result, never thrown at the caller. */
export type FailureCode =
  | "TOOL_EXECUTION_FAILED"
  | "TOOL_ARGUMENTS_INVALID_JSON"
  | "TOOL_NOT_FOUND"
  | "TOOL_NOT_ALLOWED"
  | "TOOL_BLOCKED"
  | "TOOL_APPROVAL_REJECTED"
  | "TOOL_UNAVAILABLE"
  | "TOOL_TRANSIENT"
  | "TOOL_RATE_LIMITED"
  | "TOOL_TIMEOUT"
  | "TOOL_CANCELLED"
  | "TOOL_OUTCOME_UNKNOWN"
  | "TOOL_BUDGET_EXCEEDED"
  | "TOOL_REPEATED"
  | "TOOL_PANICKED"
  | "TOOL_OUTPUT_INVALID";

/** Codes of misuse and broken configuration. They are thrown as `ToolrigError`, at the programmer. */
export type ErrorCode =
  | "TOOL_INVALID_DEFINITION"
  | "TOOL_NAME_TAKEN"
  | "SCHEMA_UNSUPPORTED"
  | "SCHEMA_INVALID"
  | "OPTION_INVALID"
  | "CONFIG_INVALID"
  | "STORE_FAILED"
  | "APPROVAL_REFUSED"
  | "COMPLETION_REFUSED"
  | "ENGINE_FAILED"
  | "ORCHESTRATION_FAILED"
  | "ORCHESTRATION_BUDGET_EXCEEDED"
  | "ORCHESTRATION_ITERATION_LIMIT"
  | "ORCHESTRATION_STEP_MISMATCH"
  | "CONSTRAINT_SCHEMA_INVALID"
  | "CONSTRAINT_JSON_INVALID"
  | "CANCELLED_SIGNAL"
  | "CANCELLED_TIMEOUT";

/** The kind a code belongs to. `TOOL_EXECUTION_FAILED` is fatal unless its failure says `validation`. */
export const KIND_OF: Record<FailureCode, FailureKind> = {
  TOOL_EXECUTION_FAILED: "fatal",
  TOOL_ARGUMENTS_INVALID_JSON: "validation",
  TOOL_NOT_FOUND: "not_found",
  TOOL_NOT_ALLOWED: "denied",
  TOOL_BLOCKED: "denied",
  TOOL_APPROVAL_REJECTED: "denied",
  TOOL_UNAVAILABLE: "unavailable",
  TOOL_TRANSIENT: "transient",
  TOOL_RATE_LIMITED: "transient",
  TOOL_TIMEOUT: "timeout",
  TOOL_CANCELLED: "cancelled",
  TOOL_OUTCOME_UNKNOWN: "unknown",
  TOOL_BUDGET_EXCEEDED: "budget",
  TOOL_REPEATED: "budget",
  TOOL_PANICKED: "fatal",
  TOOL_OUTPUT_INVALID: "fatal",
};

/** Whether something is a failure's code: what guards and tools give as one need not be. */
export function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === "string" && Object.hasOwn(KIND_OF, code);
}

/** The code used when only the kind is known. */
export const CODE_OF: Record<FailureKind, FailureCode> = {
  validation: "TOOL_EXECUTION_FAILED",
  not_found: "TOOL_NOT_FOUND",
  denied: "TOOL_BLOCKED",
  unavailable: "TOOL_UNAVAILABLE",
  transient: "TOOL_TRANSIENT",
  timeout: "TOOL_TIMEOUT",
  cancelled: "TOOL_CANCELLED",
  unknown: "TOOL_OUTCOME_UNKNOWN",
  budget: "TOOL_BUDGET_EXCEEDED",
  fatal: "TOOL_EXECUTION_FAILED",
};

/** HTTP status of a failure, by kind: a validation failure and a fatal one share a code but not a status. */
export const HTTP_STATUS: Record<FailureKind, number> = {
  validation: 422,
  not_found: 404,
  denied: 403,
  unavailable: 503,
  transient: 503,
  timeout: 504,
  cancelled: 499,
  unknown: 500,
  budget: 429,
  fatal: 500,
};

/** JSON-RPC error code of a failure, from the range reserved for servers except where the standard names one. */
export const JSON_RPC_CODE: Record<FailureKind, number> = {
  validation: -32602,
  not_found: -32601,
  denied: -32001,
  unavailable: -32002,
  transient: -32003,
  timeout: -32004,
  cancelled: -32005,
  unknown: -32006,
  budget: -32007,
  fatal: -32000,
};
