import type { LoggingLevel } from "@modelcontextprotocol/server";
import { isRecord } from "@toolrig/core/kit";

/**
 * What a server says of an answer that has no place in a result of ours. It is kept under `mcp` in the details of the result, where no
 * model reads it, and told to MCP clients in front.
 */
export interface Carried {
  /** `_meta` of the answer. */
  meta?: Record<string, unknown>;
  /** The value is structured content, also of a tool that told no output schema. */
  structured?: boolean;
  /** Of a prompt: its description, and whose message each part is. */
  prompt?: { description?: string; roles: readonly string[] };
}

/** Of details to be made: undefined where there is nothing to carry. */
export function carrying(carried: Carried): { mcp: Carried } | undefined {
  return Object.values(carried).some((each) => each !== undefined) ? { mcp: carried } : undefined;
}

/** Whatever details hold, what is given back can be told to a client. */
export function carriedIn(details: unknown): Carried {
  const given = isRecord(details) && isRecord(details.mcp) ? (details.mcp as Carried) : {};
  const { meta, structured, prompt } = given;
  return {
    ...(isRecord(meta) && { meta }),
    ...(structured === true && { structured }),
    ...(isRecord(prompt) && Array.isArray(prompt.roles) && { prompt }),
  };
}

/** An error of the protocol, as the server gave it. */
export interface CarriedError {
  code: number;
  message: string;
  data?: unknown;
}

/** The server's own error behind a failure, where it answered with one. */
export function errorIn(details: unknown): CarriedError | undefined {
  const error = isRecord(details) && isRecord(details.mcp) ? (details.mcp.error as CarriedError) : undefined;
  if (!isRecord(error) || !Number.isSafeInteger(error.code) || typeof error.message !== "string")
    return undefined;
  return error;
}

/** A message that a server logged, as it was: under `mcp` in the data of our log. */
export interface CarriedLog {
  level: LoggingLevel;
  data: unknown;
  logger?: string;
  meta?: Record<string, unknown>;
}

export const SEVERITY: readonly LoggingLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

export function logIn(data: unknown): CarriedLog | undefined {
  const log = isRecord(data) && isRecord(data.mcp) ? (data.mcp as Partial<CarriedLog>) : undefined;
  return log?.level !== undefined && SEVERITY.includes(log.level) ? (log as CarriedLog) : undefined;
}
