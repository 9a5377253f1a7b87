import { setTimeout as sleep } from "node:timers/promises";
import { type Member, membersOf, type Tree } from "./members.ts";

/** How often it is looked for survivors: processes may have been started while others were ended. */
const ROUNDS = 80;
const ROUND_MS = 25;
/** One that starts another and ends while it is looked for shows neither: so often nobody has to be found. */
const QUIET_ROUNDS = 3;
const QUIET_MS = 10;
/** How often all are held before they are ended. */
const MAX_FREEZES = 40;

/** Asks a command and all that it started to end. */
export function terminate(tree: Tree): void {
  const { root, mark } = tree;
  const members = membersOf(tree);
  if (members === undefined) {
    signal(-root, "SIGTERM");
    return;
  }
  for (const { pid, parent } of members) {
    // The two processes of bubblewrap end with what they hold; asked first, they would take it with them.
    if (mark.namespaced && (pid === root || parent === root)) continue;
    signal(pid, "SIGTERM");
  }
}

/** Ends all that a command started. Answers how many that were, and how many could not be ended. */
export async function killAll(tree: () => Tree): Promise<{ swept: number; survivors: number }> {
  const seen = new Set<number>();
  const { root, alive, mark } = tree();
  // The system ends a sandbox with its first process, all at once.
  if (mark.namespaced && alive) signal(root, "SIGKILL");
  let left = membersOf(tree());
  let quiet = 0;
  for (let round = 0; round < ROUNDS && left !== undefined && quiet < QUIET_ROUNDS; round++) {
    if (left.length === 0) {
      quiet += 1;
      if (mark.namespaced || quiet === QUIET_ROUNDS) break;
      await sleep(QUIET_MS);
      left = membersOf(tree());
      continue;
    }
    quiet = 0;
    for (const group of ownGroups(left, root)) signal(-group, "SIGKILL");
    const fresh = left.filter(({ pid }) => !seen.has(pid));
    for (const { pid } of fresh) seen.add(pid);
    if (fresh.length > 1 && round < MAX_FREEZES) {
      // Those that start others faster than they are ended are held first, until no new ones appear.
      for (const { pid } of fresh) signal(pid, "SIGSTOP");
    } else {
      for (const { pid } of left) signal(pid, "SIGKILL");
      await sleep(ROUND_MS);
    }
    left = membersOf(tree());
  }
  if (left === undefined) signal(-root, "SIGKILL");
  return { swept: seen.size, survivors: left?.length ?? 0 };
}

/** A group is ended at once, also what is being started in it: only so does a fork bomb end. */
function ownGroups(members: readonly Member[], root: number): Set<number> {
  const own = new Set([root, ...members.map(({ pid }) => pid)]);
  return new Set(members.map(({ group }) => group).filter((group) => own.has(group)));
}

function signal(pid: number, name: NodeJS.Signals): void {
  // 0 would be the own group, 1 the first process and -1 everybody.
  if (Math.abs(pid) <= 1) return;
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
