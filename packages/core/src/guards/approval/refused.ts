import { ToolrigError } from "../../failure/failure.ts";

/** An answer that does not count. The question is as it was. */
export function refused(message: string): ToolrigError {
  return new ToolrigError("APPROVAL_REFUSED", message);
}
