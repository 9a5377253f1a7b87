import type { ToolResult } from "@toolrig/core";
import { excerpt } from "./event-text.ts";
import { noteFailure } from "./note-failure.ts";
import { note, print } from "./output.ts";

/** What a call came to, for people: its content on stdout, a failure on stderr. */
export function printResult({ content, details, failure, executionId }: ToolResult, progress: boolean): void {
  if (failure !== undefined) {
    noteFailure(failure);
    if (failure.code === "TOOL_OUTCOME_UNKNOWN")
      note(`It is execution ${executionId}. See whether it happened before it is called again.`);
    return;
  }
  for (const part of content) {
    if (part.type === "text") print(part.text);
    else if (part.type === "resource") print(part.text ?? part.uri);
    else note(`[${part.mimeType}, ${part.data.length} characters of base64; --json prints it]`, "dim");
  }
  if (details !== undefined && progress) note(excerpt(details, 1_000), "dim");
}
