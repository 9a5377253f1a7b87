/**
 * What a call can wait for: somebody's approval, an answer to a question of its tool, a result that its tool said comes later,
 * a result from code that is elsewhere, or its own code, which goes on in the background.
 */
export const WAIT_KINDS = ["approval", "question", "deferred", "external", "background"] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** What a call that is not over waits for. */
export interface Waiting {
  /** Of the wait. */
  id: string;
  kind: WaitKind;
  /** What people are told of it. */
  note?: string;
  /** Epoch milliseconds. Absent: as long as it takes. */
  expiresAt?: number;
}
