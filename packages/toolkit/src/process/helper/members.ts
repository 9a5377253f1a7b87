import { readdirSync, readFileSync } from "node:fs";
import type { Mark } from "./messages.ts";

export const MARK_VARIABLE = "TOOLRIG_PROCESS";

export interface Member {
  pid: number;
  parent: number;
  group: number;
}

export interface Seen extends Member {
  session: number;
  startedAt: number;
}

/** A command that was started: its first process, and how the others are known. */
export interface Tree {
  root: number;
  /** Whether the first process has not been reaped: once it has, its number may be somebody else's. */
  alive: boolean;
  mark: Mark;
  /** The first process within a sandbox, which is there until all others are gone. */
  init?: Seen | undefined;
}

/**
 * The living processes that stem from a command, wherever they went: descendants, its session and group, and what carries its
 * mark although it has left all three. Undefined where the system does not tell (`/proc`).
 */
export function membersOf({ root, alive, mark, init }: Tree): Member[] | undefined {
  const seen = processes();
  if (seen === undefined) return undefined;
  // Kernel threads, and what the first process starts, may be in group and session 0. The number of a group or session that
  // still has members is not given to another process.
  const isOwn = root > 1 && (alive || !seen.some(({ pid }) => pid === root));
  // While the first process of a sandbox lives, all others are its descendants: nothing else needs to be looked at.
  const looks = !(mark.namespaced && alive);
  const members = new Set<number>();
  for (const { pid, group, session, startedAt } of seen) {
    if (pid === init?.pid && startedAt === init.startedAt) members.add(pid);
    else if (isOwn && (pid === root || group === root || session === root)) members.add(pid);
    else if (looks && isMarked(pid, mark)) members.add(pid);
  }
  addDescendants(members, seen);
  return seen.filter(({ pid }) => members.has(pid));
}

function addDescendants(members: Set<number>, seen: readonly Seen[]): void {
  const children = Map.groupBy(seen, ({ parent }) => parent);
  const open = [...members];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (members.has(child.pid)) continue;
      members.add(child.pid);
      open.push(child.pid);
    }
  }
}

function processes(): Seen[] | undefined {
  try {
    const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const own = seenAs(process.pid);
    if (own === undefined) return undefined;
    // What is older than this process was started by somebody else, whatever it looks like.
    return names.flatMap((name) => {
      const seen = Number(name) === process.pid ? undefined : seenAs(Number(name));
      return seen === undefined || seen.startedAt < own.startedAt ? [] : [seen];
    });
  } catch {
    return undefined;
  }
}

/** Undefined for one that is gone, or dead and only waits to be reaped. */
export function seenAs(pid: number): Seen | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // The name of the program stands in brackets and may hold brackets and spaces.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === undefined || fields.length < 19 || state === "Z" || state === "X") return undefined;
  const [parent = 0, group = 0, session = 0] = fields.map(Number);
  return { pid, parent, group, session, startedAt: Number(fields[18]) };
}

function isMarked(pid: number, { id, tag }: Mark): boolean {
  if (tag !== undefined && tagOf(readIfThere(`/proc/${pid}/limits`)) === tag) return true;
  return `\0${readIfThere(`/proc/${pid}/environ`)}\0`.includes(`\0${MARK_VARIABLE}=${id}\0`);
}

/** The soft and hard limit of message queues, as "soft:hard". */
function tagOf(limits: string): string | undefined {
  const [, soft, hard] = /^Max msgqueue size\s+(\d+)\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined || hard === undefined ? undefined : `${soft}:${hard}`;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
