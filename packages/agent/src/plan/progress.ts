import type { ToolResult } from "@toolrig/core";
import type { JournalEntry } from "@toolrig/core/kit";

/** What a journal knows of a plan that was begun. */
export interface Progress {
  /** Outputs of finished steps, and of finished items of maps as "step[3]". */
  outputs: Map<string, unknown>;
  /** The last execution of each tool step or item, with its result if it came. */
  executions: Map<string, { executionId: string; result: ToolResult | undefined }>;
}

export function progressOf(entries: readonly JournalEntry[]): Progress {
  const progress: Progress = { outputs: new Map(), executions: new Map() };
  for (const entry of entries) {
    if (entry.type === "step") progress.outputs.set(entry.name, entry.output);
    if (entry.type === "calls") {
      for (const { executionId, call } of entry.calls) {
        progress.executions.set(call.id, { executionId, result: undefined });
      }
    }
    if (entry.type === "result") {
      const execution = progress.executions.get(entry.result.callId);
      if (execution?.executionId === entry.result.executionId) execution.result = entry.result;
    }
  }
  return progress;
}
