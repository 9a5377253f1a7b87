import { makeResult } from "../../call/make-result.ts";
import type { ToolResult } from "../../call/result.ts";
import type { Waiting } from "../../call/waiting.ts";
import type { Wait } from "../../stores/waits.ts";
import type { Resolved } from "../execution.ts";

/** What a call that is not over is answered with. */
export function waitingResult(execution: Resolved, waiting: Waiting): ToolResult {
  const { kind, note } = waiting;
  const what = `${execution.tool.name} is not over: it waits for ${WHAT[kind]}`;
  const text = `${what}${note === undefined ? "" : ` (${note})`}. Its id is ${execution.id}.`;
  return { ...makeResult(execution, false, [{ type: "text", text }]), waiting };
}

const WHAT: Record<Waiting["kind"], string> = {
  approval: "approval",
  question: "an answer",
  deferred: "its result",
  external: "its result from elsewhere",
  background: "its end, in the background",
};

/** What callers and listeners are told of a wait. */
export function shownOf({ id, kind, note, expiresAt }: Wait): Waiting {
  return { id, kind, ...(note !== undefined && { note }), ...(expiresAt !== undefined && { expiresAt }) };
}
