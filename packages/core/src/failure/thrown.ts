import { messageOf } from "../plain.ts";
import { ToolFailure } from "./failure.ts";

/** An error that was thrown, as plain data for people. Never part of what a model sees. */
export interface ThrownError {
  name: string;
  message: string;
  stack?: string;
  cause?: ThrownError;
}

const MAX_STACK = 4_000;
const MAX_CAUSES = 5;

/** What is known of a thrown error: undefined for a failure made on purpose and for what is no error. Never throws. */
export function thrownError(thrown: unknown, depth = 0): ThrownError | undefined {
  try {
    if (ToolFailure.isInstance(thrown)) return undefined;
    if (!(thrown instanceof Error) && Object.prototype.toString.call(thrown) !== "[object Error]")
      return undefined;
    const { name, stack, cause } = thrown as Error;
    const error: ThrownError = { name: String(name), message: messageOf(thrown) };
    if (typeof stack === "string") error.stack = stack.slice(0, MAX_STACK);
    const reason = depth < MAX_CAUSES ? thrownError(cause, depth + 1) : undefined;
    if (reason !== undefined) error.cause = reason;
    return error;
  } catch {
    return undefined;
  }
}
