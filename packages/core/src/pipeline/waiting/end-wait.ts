import type { Principal } from "../../call/principal.ts";
import { wallTime } from "../../clock.ts";
import { defined } from "../../defined.ts";
import { type EndedWait, hasEnded, type Wait } from "../../stores/waits.ts";
import type { Services } from "../services.ts";
import { TAKE_OVER_MS } from "./conclude.ts";

/** A wait that has ended, and whether this end is the one that counts. */
export interface Ended {
  wait: EndedWait;
  won: boolean;
}

/**
 * Ends a wait, unless it has ended: of many who try, one does. Returns it as it is now, and whether this did it. What has to follow the end of a wait
 * for a result is due soon after, so that a process which dies over it has a successor.
 */
export async function endWait(
  services: Services,
  { id, kind, executionId, body: kept }: Wait,
  how: string,
  { by, body }: { by?: Principal | undefined; body?: unknown } = {},
): Promise<Ended> {
  const { waits, clock } = services;
  const at = wallTime(clock);
  const end = { how, at, ...defined({ by, body }) };
  const isLeft = (kept as { left?: unknown } | undefined)?.left !== undefined;
  const follows = isLeft || (kind !== "approval" && kind !== "question");
  // What the write itself saw: a read after it may be of a replica that does not know of the end yet.
  let ended: EndedWait | undefined;
  const won = await waits.revise(id, (now) => {
    if (hasEnded(now)) {
      ended = now;
      return undefined;
    }
    const { nextAt: _, ...wait } = now;
    ended = { ...wait, end, ...(follows && { nextAt: at + TAKE_OVER_MS }) };
    return ended;
  });
  if (ended === undefined) throw new Error(`wait ${id} is gone`);
  if (won && (kind === "deferred" || kind === "external"))
    await takeBack(services, executionId).catch(() => {});
  return { wait: ended, won };
}

/** What a call asked while it waited for its result nobody needs to know any more. */
async function takeBack(services: Services, executionId: string): Promise<void> {
  for (const wait of await services.waits.list({ executionId, kind: "question", open: true }))
    await endWait(services, wait, "cancelled", { body: { reason: "the call is over" } });
}
