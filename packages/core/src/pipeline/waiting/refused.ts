import { ToolrigError } from "../../failure/failure.ts";

/** The error of whoever may not end a wait, or comes too late. */
export function refused(message: string): ToolrigError {
  return new ToolrigError("COMPLETION_REFUSED", message);
}
