import { fromJson } from "../database/json.ts";
import type { Link } from "./chain.ts";

/**
 * Rows of the chain that are no calls but tell of the chain itself, or of administration. They are part of it, so that whoever removes one shows.
 */

/** Retention has removed rows. */
export const PRUNE = "prune";
/** Whoever put the next row found ends that did not carry their seal. */
export const BREACH = "breach";

/** Somebody has changed how calls are made. */
export const CHANGE = "change";

/** For SQL: the rows that are neither calls nor what came late of them. */
export const NOTICES = `'${PRUNE}', '${BREACH}', '${CHANGE}'`;

/** For a prune: until which row all are gone, and the hash of that one. For a breach: where the chain went on. */
export interface Notice {
  until: number;
  hash: string;
  /** When it was written, in epoch milliseconds. */
  at: number;
}

export function noticeOf({ seq, hash }: Link, at: number): Notice {
  return { until: seq, hash, at };
}

export function isNotice(kind: string): kind is typeof PRUNE | typeof BREACH | typeof CHANGE {
  return kind === PRUNE || kind === BREACH || kind === CHANGE;
}

export function decodeNotice(body: string): Notice {
  return fromJson(body) as Notice;
}
