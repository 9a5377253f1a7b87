/**
 * What becomes of a call or a run while something that it needs is waited for.
 *
 * - "hold": it waits in this process, however long that takes.
 * - "return": it is answered at once with what it waits for, and goes on when its owner comes back: by the same call under its
 *   execution id, or by `resume`.
 * - "continue": its owner goes on without it. A call goes on by itself once it can; a run gives its model each result when it comes.
 */
export type OnWaiting = "hold" | "return" | "continue";

/** What calls and runs said before they had one vocabulary. Still accepted. */
const EARLIER = { leave: "continue", suspend: "return" } as const;

export type EarlierOnWaiting = keyof typeof EARLIER;

/** The option in today's words. Absent: "hold". */
export function onWaitingOf(given: OnWaiting | EarlierOnWaiting | undefined): OnWaiting {
  if (given === "leave" || given === "suspend") return EARLIER[given];
  return given ?? "hold";
}
