import type { CallEvent, WaitKind } from "@toolrig/core";
import type { Rig } from "../rig/rig.ts";
import { excerpt } from "./event-text.ts";
import { note } from "./output.ts";

const HOW: Record<WaitKind, ((executionId: string) => string) | undefined> = {
  approval: (id) => `Answer: toolrig approvals approve ${id}`,
  question: (id) => `Answer: toolrig answer ${id} JSON`,
  deferred: (id) => `Complete it: toolrig complete ${id} JSON`,
  external: (id) => `Complete it: toolrig complete ${id} JSON`,
  background: undefined,
};
const WHAT: Record<WaitKind, string> = {
  approval: "approval",
  question: "an answer",
  deferred: "its result",
  external: "its result from elsewhere",
  background: "its end",
};

type WaitingEvent = Extract<CallEvent, { type: "call.waiting" }>;

/** Says what a call waits for and how to end that: it would otherwise seem to hang. */
export function hintAtWait({ executionId, name, waiting: { kind, note: what } }: WaitingEvent): void {
  const how = HOW[kind]?.(executionId);
  const why = what === undefined ? "" : `: ${excerpt(what, 200)}`;
  const end = /[.?!]$/.test(why) ? "" : ".";
  if (how !== undefined) note(`${name} waits for ${WHAT[kind]}${why}${end} ${how}`, "warn");
}

/** Calls `tell` for each wait. Of a call that waits for one which it made, that one is told of. */
export function onWaits({ events }: Pick<Rig, "events">, tell: (event: WaitingEvent) => void): void {
  events.on("call.waiting", (event) => {
    const isOwn = event.waiting.id.startsWith(`${event.executionId}:`);
    if (isOwn) tell(event);
  });
}
