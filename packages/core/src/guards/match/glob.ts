/**
 * Patterns with `*` (anything but `/`), `**` (anything) and `**` followed by `/` (any folders, or none). Matched without
 * a regular expression and in time that grows with text times pattern, because the text may come from a model.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  const parts = split(pattern);
  let states = closure([0], parts);
  for (const character of text) {
    const next: number[] = [];
    for (const state of states) {
      const part = parts[state];
      if (part === character) next.push(state + 1);
      else if (part === ANY_DEEP || (part === ANY && character !== "/")) next.push(state);
    }
    if (next.length === 0) return false;
    states = closure(next, parts);
  }
  return states.has(parts.length);
}

/** For names, which have no folders: `*` is anything at all. */
export function matchesAnyName(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesName(name, pattern));
}

function matchesName(name: string, pattern: string): boolean {
  const star = pattern.indexOf("*");
  if (star === -1) return name === pattern;
  if (star === pattern.length - 1) return name.startsWith(pattern.slice(0, -1));
  return matchesGlob(name, pattern.replace(/\*+/g, "**"));
}

const ANY = Symbol("*");
const ANY_DEEP = Symbol("**");
/** Followed by `**` and `/`, which may be left out together. */
const FOLDERS = Symbol("**/");

function split(pattern: string): (string | symbol)[] {
  const characters = [...pattern];
  const parts: (string | symbol)[] = [];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    if (character !== "*") {
      parts.push(character);
      continue;
    }
    const startsSegment = index === 0 || characters[index - 1] === "/";
    let stars = 1;
    while (characters[index + stars] === "*") stars += 1;
    index += stars - 1;
    if (stars > 1 && startsSegment && characters[index + 1] === "/") parts.push(FOLDERS);
    parts.push(stars > 1 ? ANY_DEEP : ANY);
  }
  return parts;
}

/** A wildcard also matches nothing. */
function closure(states: readonly number[], parts: readonly (string | symbol)[]): Set<number> {
  const all = new Set(states);
  for (const state of all) {
    const part = parts[state];
    if (typeof part !== "symbol") continue;
    all.add(state + 1);
    if (part === FOLDERS) all.add(state + 3);
  }
  return all;
}
