import type { CallEvent } from "@toolrig/core";
import type { Rig } from "../rig/rig.ts";
import { excerpt } from "./event-text.ts";
import { note } from "./output.ts";

/** Answers that a grant gives come at once. */
const PATIENCE_MS = 300;

/** Says how to answer when a call waits for approval: it would otherwise seem to hang. */
export function hintAtApprovals({ approvals, events }: Rig): void {
  if (approvals === undefined) return;
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();
  events.on((event: CallEvent) => {
    clearTimeout(waiting.get(event.executionId));
    waiting.delete(event.executionId);
    if (event.type !== "call.verdict" || event.verdict !== "ask") return;
    const { executionId, name, reason = "a guard asks" } = event;
    const tell = () =>
      note(
        `${name} waits for approval: ${excerpt(reason, 200)}. Answer: toolrig approvals approve ${executionId}`,
        "warn",
      );
    waiting.set(executionId, setTimeout(tell, PATIENCE_MS).unref());
  });
}
