import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { failure, type ToolFailure } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { cleanText } from "../defence/clean-text.ts";
import { cleanValue } from "../defence/clean-value.ts";
import { measure } from "../defence/measure.ts";
import { isUnreadable } from "../defence/unreadable.ts";
import type { CarriedError } from "./carried.ts";
import { isStreamEnd } from "./ended-streams.ts";

/** Characters of a server's error. */
const MAX_MESSAGE = 10_000;

/** What a request that failed says of the connection. */
export type Loss =
  /** The server answered: it is there. */
  | "none"
  /** Something answered, and does not tell what came of the request. */
  | "unclear"
  /** The request did not reach the server. */
  | "unsent"
  /** Whether it reached the server, and what came of it, is not known. */
  | "open";

export function lossOf(error: unknown): Loss {
  if (isStreamEnd(error)) return "open";
  if (isUnreadable(error)) return "unclear";
  if (ProtocolError.isInstance(error) || UnauthorizedError.isInstance(error)) return "none";
  if (SdkHttpError.isInstance(error)) return lossOfStatus(error.status ?? 0);
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.NotConnected) return "unsent";
    if (UNREADABLE.has(error.code) || error.code === SdkErrorCode.RequestTimeout) return "unclear";
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.SendFailed
      ? "open"
      : "none";
  }
  const { code } = (causeOf(error) ?? {}) as { code?: unknown };
  return UNSENT.has(String(code)) ? "unsent" : "open";
}

/** An answer came, and is none of the protocol's. */
const UNREADABLE: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.ClientHttpUnexpectedContent,
]);

function lossOfStatus(status: number): Loss {
  // A session that the server does not know any more: it has refused the request before it looked at it.
  if (status === 404) return "unsent";
  // A server that failed may have done something before; a gateway in front of it does not know.
  return status >= 500 ? "unclear" : "none";
}

/** A connection that was never made carried nothing. */
const UNSENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function causeOf(error: unknown): unknown {
  const { cause } = (error ?? {}) as { cause?: unknown };
  return cause ?? error;
}

/** The failure of a call that the server answered with an error. */
export function failureOfError(connection: string, error: unknown): ToolFailure {
  const message = `${connection}: ${cleanText(messageOf(error).slice(0, MAX_MESSAGE)).text}`;
  if (UnauthorizedError.isInstance(error))
    return failure({ code: "TOOL_UNAVAILABLE", message: `${connection} needs authorization.` });
  if (SdkHttpError.isInstance(error)) {
    const { status = 0 } = error;
    if (status === 401 || status === 403)
      return failure({ kind: "denied", message: `${connection} refused it (HTTP ${status}).` });
    if (status === 429 || status >= 500)
      return failure({
        code: status === 429 ? "TOOL_RATE_LIMITED" : "TOOL_TRANSIENT",
        message: `${connection} answered HTTP ${status}.`,
      });
    return failure({ message: `${connection} answered HTTP ${status}.` });
  }
  if (SdkError.isInstance(error) && UNREADABLE.has(error.code))
    return failure({ message: `${connection} gave an answer that cannot be read.` });
  if (ProtocolError.isInstance(error)) {
    const details = { code: error.code, mcp: { error: errorOf(error) } };
    if (error.code === ProtocolErrorCode.InvalidParams)
      return failure({ kind: "validation", message, details });
    return failure({ message, details });
  }
  return failure({ message });
}

/** An error of a request, for a client in front. What a server says with it is its data like any other. */
export function errorOf(error: unknown): CarriedError {
  if (!ProtocolError.isInstance(error)) {
    const { code } = Object(error) as { code?: unknown };
    const isMissing = code === SdkErrorCode.CapabilityNotSupported;
    const message = isMissing
      ? "The server behind does not have that."
      : "The server behind could not be asked.";
    return { code: isMissing ? ProtocolErrorCode.MethodNotFound : ProtocolErrorCode.InternalError, message };
  }
  const { code, message, data } = error;
  const { size, depth } = measure(data, MAX_DATA);
  const isShown = data !== undefined && size <= MAX_DATA.size && depth <= MAX_DATA.depth;
  return {
    code,
    message: cleanText(message.slice(0, MAX_MESSAGE)).text,
    ...(isShown && { data: cleanValue(data) }),
  };
}

const MAX_DATA = { size: 16_000, depth: 20 };
