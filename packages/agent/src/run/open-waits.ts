import type { CallExecutor } from "@toolrig/core";
import { type Clock, type Wait, wallTime } from "@toolrig/core/kit";
import type { WaitingCall } from "./outcome.ts";

/** Those that still wait. One that nobody here knows may have ended: who calls again will see. */
export async function openAmong(
  { waits }: Pick<CallExecutor, "waits">,
  calls: readonly WaitingCall[],
  clock: Clock,
): Promise<WaitingCall[]> {
  if (waits === undefined) return [];
  const found = await Promise.all(calls.map(({ waiting }) => waits.store.get(waiting.id)));
  return calls.filter((_, index) => isOpen(found[index], clock));
}

/** What has expired, or was lost with its process, is as good as over. */
function isOpen(wait: Wait | undefined, clock: Clock): boolean {
  if (wait === undefined || wait.end !== undefined) return false;
  const now = wallTime(clock);
  if (wait.expiresAt !== undefined && wait.expiresAt <= now) return false;
  return wait.kind !== "background" || (wait.nextAt ?? 0) > now;
}
