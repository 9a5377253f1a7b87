import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Wanted } from "../call.ts";
import type { Caller } from "../caller.ts";
import type { Seal } from "../seal.ts";

/** A call that its client comes back for. Its execution, with what it waits for and what it came to, is in the rig's stores. */
export interface Task {
  /** What its client knows it by: sealed, so that nobody can make one up, and good for one principal in one view. */
  readonly id: string;
  readonly owner: string;
  readonly executionId: string;
  readonly name: string;
  readonly args: unknown;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** How long it can be asked for. */
  readonly ttlMs: number;
}

interface Sealed {
  task: 1;
  o: string;
  e: string;
  n: string;
  /** Absent when they are too long for an id, which travels as a header. */
  a?: unknown;
  c: number;
  t: number;
}

const MAX_ARGUMENTS = 2_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const TTL_MS = 7 * DAY_MS;
const LONGEST_MS = 30 * DAY_MS;

/** A client may ask for another time than a week, up to 30 days. */
export function makeTask(
  seal: Seal,
  { owner }: Caller,
  { name, args }: Wanted,
  executionId: string,
  wantedMs: number = TTL_MS,
): Task {
  const createdAt = Date.now();
  const ttlMs = Math.min(Math.max(1_000, Math.trunc(wantedMs)), LONGEST_MS);
  const isShort = (JSON.stringify(args)?.length ?? 0) <= MAX_ARGUMENTS;
  const sealed: Sealed = { task: 1, o: owner, e: executionId, n: name, c: createdAt, t: ttlMs };
  if (isShort) sealed.a = args;
  const id = seal.close(sealed, createdAt + ttlMs);
  return { id, owner, executionId, name, args, createdAt, ttlMs };
}

/** `argsOf`: what this process knows of arguments that did not fit. Throws for what is no task of this caller. */
export function openTask(
  seal: Seal,
  id: string,
  { owner }: Caller,
  argsOf: (executionId: string) => unknown,
): Task {
  const sealed = seal.open(id) as Partial<Sealed> | undefined;
  if (sealed?.task !== 1 || sealed.o !== owner)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such task, or its time is over.");
  const { e: executionId, n: name, c: createdAt, t: ttlMs } = sealed as Sealed;
  const args = "a" in sealed ? sealed.a : argsOf(executionId);
  return { id, owner, executionId, name, args, createdAt, ttlMs };
}
