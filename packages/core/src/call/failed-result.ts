import { describeFailure, type FailureInput } from "../failure/failure.ts";
import { failureContent } from "./failure-text.ts";
import type { ToolResult } from "./result.ts";

/** The result of a call that is answered without the pipeline: it must not or cannot run here. */
export function failedResult(
  call: { id: string; name: string },
  executionId: string,
  input: FailureInput,
): ToolResult {
  const failure = describeFailure(input);
  return {
    callId: call.id,
    executionId,
    name: call.name,
    isError: true,
    content: failureContent(failure),
    failure,
    decoded: { mode: "strict", repairs: [] },
    attempts: 0,
    durationMs: 0,
  };
}
