import type { ToolResult } from "@toolrig/core";
import type { ArtifactStore } from "@toolrig/core/kit";
import { defined } from "@toolrig/core/kit";
import type { CallAnswer } from "../engine/run.ts";

/** Of an answer that was too large for a model, a script gets the whole, up to so many characters. */
const MAX_TEXT = 10_000_000;

/**
 * What a script gets of a call: the value that the tool returned, else its text; or the error that it can catch. The error of a
 * tool that ran and failed has what the tool returned, too: `value` (of a command its exit code, stdout and stderr) and
 * `content`, its whole text (of a request the body of the answer).
 */
export async function callAnswer(result: ToolResult, artifacts: ArtifactStore): Promise<CallAnswer> {
  const { failure, isError, value, name: tool } = result;
  if (isError) {
    const { code, kind, message, details } = failure ?? UNKNOWN;
    const text = hasText(result) ? await wholeText(result, artifacts) : undefined;
    const content = text === message ? undefined : text;
    const error = { name: "ToolError", tool, message, code, kind, ...defined({ details, value, content }) };
    return { status: "failed", error };
  }
  if (value !== undefined) return { status: "done", value };
  const { content } = result;
  if (hasText(result)) return { status: "done", value: await wholeText(result, artifacts) };
  return { status: "done", value: { content } };
}

function hasText({ content }: ToolResult): boolean {
  return content.every(({ type }) => type === "text");
}

const UNKNOWN = {
  code: "TOOL_EXECUTION_FAILED",
  kind: "fatal",
  message: "The tool reported an error.",
  details: undefined,
} as const;

async function wholeText({ content, artifact }: ToolResult, artifacts: ArtifactStore): Promise<string> {
  try {
    const whole = artifact === undefined ? undefined : await artifacts.read(artifact, 0, MAX_TEXT);
    if (whole !== undefined) return whole.text;
  } catch {
    // Its head and tail are there all the same, with a remark on what is not.
  }
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
