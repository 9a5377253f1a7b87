import { messageOf, toPlain } from "../plain.ts";
import { describeFailure, type Failure, ToolFailure } from "./failure.ts";

/** Error codes of the network and the file system that say "try again later". */
const TRANSIENT_CODES: ReadonlySet<unknown> = new Set([
  "EAI_AGAIN",
  "EBUSY",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);

const TRANSIENT_STATUS: ReadonlySet<unknown> = new Set([408, 425, 429, 502, 503, 504]);

/**
 * What a thrown value means. Anything can be thrown: an Error, a string, undefined, a proxy whose every property
 * throws. Never throws itself.
 */
export function failureOf(thrown: unknown): Failure {
  try {
    if (ToolFailure.isInstance(thrown))
      return describeFailure({ ...thrown.failure, details: toPlain(thrown.failure.details) });
    if (!isError(thrown)) {
      return describeFailure({
        code: "TOOL_PANICKED",
        message: `The tool threw a value that is not an Error: ${messageOf(thrown)}`,
      });
    }
    if (isStackOverflow(thrown))
      return describeFailure({ code: "TOOL_PANICKED", message: messageOf(thrown) });
    if (thrown.name === "AbortError")
      return describeFailure({ code: "TOOL_CANCELLED", message: messageOf(thrown) });
    if (thrown.name === "TimeoutError")
      return describeFailure({ code: "TOOL_TIMEOUT", message: messageOf(thrown) });
    if (isTransient(thrown))
      return describeFailure({ kind: "transient", message: messageOf(thrown), details: retryAfter(thrown) });
    return describeFailure({ kind: "fatal", message: messageOf(thrown) });
  } catch {
    return describeFailure({ code: "TOOL_PANICKED", message: "The tool threw a value that cannot be read." });
  }
}

/** Also an Error of another realm, such as one from a sandbox. */
function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === "[object Error]";
}

function isStackOverflow(error: Error): boolean {
  return error.name === "RangeError" && /call stack/i.test(error.message);
}

/** Looks through the chain of causes: `fetch` hides the socket's error two levels deep. */
function isTransient(error: unknown, depth = 0): boolean {
  if (typeof error !== "object" || error === null || depth > 4) return false;
  const { code, status, statusCode, cause } = error as Record<string, unknown>;
  if (TRANSIENT_CODES.has(code) || TRANSIENT_STATUS.has(status) || TRANSIENT_STATUS.has(statusCode))
    return true;
  return isTransient(cause, depth + 1);
}

/** How long the other side asked to wait, in the details that `retry` reads. */
function retryAfter(error: object): { retryAfterMs: number } | undefined {
  const { retryAfterMs } = error as Record<string, unknown>;
  return typeof retryAfterMs === "number" && retryAfterMs >= 0 ? { retryAfterMs } : undefined;
}
