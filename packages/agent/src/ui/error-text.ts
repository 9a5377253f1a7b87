import type { RunError } from "../run/outcome.ts";

/** The text for the user when a run fails: its code alone, where the program has no text for it or fails to make one. */
export function textFor(error: RunError, errorText?: (error: RunError) => string): string {
  try {
    const text = errorText?.(error);
    if (typeof text === "string") return text;
  } catch {
    // Said as without one: the stream of a run never fails.
  }
  return `The run failed (${error.code}).`;
}
