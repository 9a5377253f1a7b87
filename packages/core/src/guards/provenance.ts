/** Whether a value was literally said by somebody who is trusted. */

/** How much trusted text is kept a run; the oldest goes first. */
const MOST_CHARACTERS = 200_000;

export class KnownText {
  #texts: string[] = [];
  #size = 0;

  add(text: string): void {
    const folded = fold(text).slice(0, MOST_CHARACTERS);
    this.#texts.push(folded);
    this.#size += folded.length;
    while (this.#size > MOST_CHARACTERS && this.#texts.length > 1) this.#size -= this.#texts.shift()!.length;
  }

  /** Flags choose nothing an attacker could gain from; every other value must occur, as words of its own. */
  has(value: string | number | boolean | null): boolean {
    if (typeof value === "boolean" || value === null || value === "") return true;
    const wanted = fold(String(value));
    return this.#texts.some((text) => occurs(text, wanted));
  }
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/** "5" is not in "500", and "bob@example.com" not in "bob@example.com.evil.org". */
function occurs(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const before = text.slice(0, at);
    const after = text.slice(at + wanted.length);
    if (
      !/[\p{L}\p{N}_]$/u.test(before.slice(-2)) &&
      !/^(?:[\p{L}\p{N}_]|[.@/-][\p{L}\p{N}])/u.test(after.slice(0, 4))
    )
      return true;
  }
  return false;
}

export interface Leaf {
  path: string[];
  value: string | number | boolean | null;
}

const MAX_DEPTH = 32;

/** Every scalar in the arguments with its path; what lies too deep is one opaque leaf that nobody said. */
export function leavesOf(value: unknown, path: string[] = []): Leaf[] {
  if (
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean" ||
    value === null
  ) {
    return [{ path, value }];
  }
  if (typeof value !== "object" || value === undefined) return [];
  if (path.length >= MAX_DEPTH) return [{ path, value: JSON.stringify(value) }];
  return Object.entries(value as object).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}
