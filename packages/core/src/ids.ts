/**
 * Identifiers that are unique across processes and sort by birth within one: a random part chosen once a process, a dot
 * and a counter. The dot makes all ids of a process share a first token where ids are subjects; made so, an id costs less
 * than a random one. The random part is chosen with the first id: Cloudflare's workerd has no random numbers while modules load.
 */
let processPart = "";

let counter = 0;

/** Ids of `newId`, of any process, and SHA-256 hashes in hex, as parts of other ids. */
export const MADE_ID = /(?<![0-9a-z])(?:[a-z]+_[0-9a-f]{20}\.[0-9a-z]{8,}|[0-9a-f]{64})(?![0-9a-z])/g;

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
/** Ids between their prefix and their last digit, made anew for every 36th id. Empty before the first one. */
let stem = "";

function stemOf(count: number): string {
  if (processPart === "") processPart = randomPart();
  return `_${processPart}.${count.toString(36).padStart(7, "0")}`;
}

function randomPart(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function newId(prefix: string): string {
  counter += 1;
  const digit = counter % DIGITS.length;
  if (digit === 0 || stem === "") stem = stemOf(Math.floor(counter / DIGITS.length));
  return `${prefix}${stem}${DIGITS[digit]}`;
}

/** A moment among the ids of this process, for `isMadeSince`. */
export function idMark(): number {
  return counter;
}

/** Whether an id, or the last one within it, was made by this process after a moment. */
export function isMadeSince(mark: number, id: string): boolean {
  const at = processPart === "" ? -1 : id.lastIndexOf(`_${processPart}.`);
  if (at === -1) return false;
  const [made = ""] = /^[0-9a-z]+/.exec(id.slice(at + processPart.length + 2)) ?? [];
  return Number.parseInt(made, 36) > mark;
}
