import type { ToolResult, WaitKind } from "@toolrig/core";
import { isWaiting } from "@toolrig/core/kit";
import type { WaitingCall } from "../run/outcome.ts";

const FOR: Record<WaitKind, string> = {
  approval: "waits for somebody's approval",
  question: "waits for somebody's answer to its question",
  deferred: "has begun, and its result comes later",
  external: "was handed out, and its result comes later",
  background: "runs in the background",
};

/** What the runtime itself says; notes of tools are for people, and nobody has looked at them. */
const OWN_WORDS = { source: "toolrig" };

/** The result of a call that is not over, in the runtime's own words. Any other as it is. */
export function notOver(result: ToolResult): ToolResult {
  return !isWaiting(result) ? result : saying(result, `${result.name} ${FOR[result.waiting.kind]}.`);
}

/** What the model is given in the place of a result, and goes on with. */
export function placeholder(result: ToolResult): ToolResult {
  if (!isWaiting(result)) return result;
  return saying(
    result,
    `${result.name} is not over: it ${FOR[result.waiting.kind]}. Its id is ${result.executionId}. ` +
      "You are given its result when it comes; go on with what does not need it, and do not make the call again.",
  );
}

function saying(result: ToolResult, text: string): ToolResult {
  return { ...result, content: [{ type: "text", text }], labels: OWN_WORDS };
}

export function waitingCall({ executionId, callId, name, waiting }: ToolResult): WaitingCall | undefined {
  return waiting === undefined ? undefined : { executionId, callId, name, waiting };
}
