import { STRICT } from "../../call/decoded.ts";
import { makeResult, type ResultSubject } from "../../call/make-result.ts";
import type { ToolResult } from "../../call/result.ts";
import type { Waiting } from "../../call/waiting.ts";
import { defined } from "../../defined.ts";
import type { Wait } from "../../stores/waits.ts";

/** What a call that is not over is answered with. */
export function waitingResult(execution: ResultSubject, waiting: Waiting): ToolResult {
  const { kind, note } = waiting;
  const what = `${execution.call.name} is not over: it waits for ${WHAT[kind]}`;
  const text = `${what}${note === undefined ? "" : ` (${note})`}. Its id is ${execution.id}.`;
  return { ...makeResult(execution, false, [{ type: "text", text }]), waiting };
}

/** The same for a call that was parked by somebody who could not say so any more. */
export function waitingAnswer(call: ResultSubject["call"], wait: Wait, attempts: number): ToolResult {
  return waitingResult({ id: wait.executionId, call, decoded: STRICT, attempts }, shownOf(wait));
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
  return { id, kind, ...defined({ note, expiresAt }) };
}
