import { describeFailure, type Failure, type FailureInput } from "../failure/failure.ts";
import type { ContentPart } from "./content.ts";
import { type Decoded, STRICT } from "./decoded.ts";
import { failureContent } from "./failure-text.ts";
import type { ToolResult } from "./result.ts";

/** The execution that a result belongs to. */
export interface ResultSubject {
  readonly id: string;
  readonly call: { readonly id: string; readonly name: string };
  readonly decoded: Decoded;
  readonly attempts: number;
}

/** A result with this content. All results are made here, so that none lacks a field. */
export function makeResult(
  { id, call, decoded, attempts }: ResultSubject,
  isError: boolean,
  content: ContentPart[],
): ToolResult {
  return {
    callId: call.id,
    executionId: id,
    name: call.name,
    isError,
    content,
    decoded,
    attempts,
    durationMs: 0,
  };
}

export function makeFailedResult(subject: ResultSubject, failure: Failure): ToolResult {
  const result = makeResult(subject, true, failureContent(failure));
  result.failure = failure;
  return result;
}

/** The result of a call that is answered without the pipeline: it must not or cannot run here. */
export function failedResult(
  call: { readonly id: string; readonly name: string },
  executionId: string,
  input: FailureInput,
  attempts = 0,
): ToolResult {
  return makeFailedResult({ id: executionId, call, decoded: STRICT, attempts }, describeFailure(input));
}
