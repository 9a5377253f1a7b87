/**
 * Patterns with `*` (anything but `/`) and `**` (anything). Matched in linear-ish time without a regular expression,
 * because the text may come from a model and the pattern from a file.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  const parts = split(pattern);
  let states = new Set([0]);
  for (const character of text) {
    states = closure(states, parts);
    const next = new Set<number>();
    for (const state of states) {
      const part = parts[state];
      if (part === character) next.add(state + 1);
      else if (part === ANY_DEEP || (part === ANY && character !== "/")) next.add(state);
    }
    if (next.size === 0) return false;
    states = next;
  }
  return closure(states, parts).has(parts.length);
}

export function matchesAny(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesGlob(text, pattern));
}

const ANY = Symbol("*");
const ANY_DEEP = Symbol("**");

function split(pattern: string): (string | symbol)[] {
  const parts: (string | symbol)[] = [];
  for (let index = 0; index < pattern.length; index++) {
    if (pattern[index] !== "*") {
      parts.push(pattern[index]!);
    } else if (pattern[index + 1] === "*") {
      parts.push(ANY_DEEP);
      index += 1;
    } else {
      parts.push(ANY);
    }
  }
  return parts;
}

/** A wildcard also matches nothing. */
function closure(states: ReadonlySet<number>, parts: readonly (string | symbol)[]): Set<number> {
  const all = new Set(states);
  for (const state of all) if (typeof parts[state] === "symbol") all.add(state + 1);
  return all;
}
