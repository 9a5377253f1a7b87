import { matchesGlob } from "./glob.ts";

/** One spelling a path: "./a//b/../c" and "a/c" are the same file. */
export function normalPath(path: string): string {
  const absolute = /^[/\\]/.test(path);
  const kept: string[] = [];
  for (const part of path.split(/[/\\]+/)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (part !== ".." || !absolute) kept.push(part);
  }
  return (absolute ? "/" : "") + kept.join("/");
}

/**
 * Whether a path is, or may be, one that the patterns mean. Careful on the side of "may be": upper and lower case are
 * the same, a pattern for what is in a folder means the folder too, and a relative pattern is looked for anywhere in a
 * path that starts elsewhere ("/repo/.git/config", "../repo/.git/config"). Links are not followed: nothing is read.
 */
export function meansAny(path: string, patterns: readonly string[]): boolean {
  const folded = foldPath(path);
  const elsewhere = /^(?:\/|\.\.(?:\/|$)|~|[a-z]:|[a-z][a-z0-9+.-]*:)/.test(folded);
  return patterns.some((pattern) => {
    const wanted = foldPath(pattern);
    const spellings = [wanted, ...(wanted.endsWith("/**") ? [wanted.slice(0, -3)] : [])];
    return spellings.some(
      (each) =>
        matchesGlob(folded, each) ||
        (elsewhere && !each.startsWith("/") && matchesGlob(folded, `**/${each}`)),
    );
  });
}

/** As file systems see a path that ignore case, composition, invisible characters, dots at the end or streams. */
function foldPath(path: string): string {
  const url = /^file:/i.test(path);
  const spelt = (url ? decoded(path.replace(/^file:(?:\/\/[^/]*)?/i, "")) : path)
    .normalize("NFC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase();
  const segments = spelt.split(/[/\\]/).map((segment, index) => {
    const name = index === 0 && /^[a-z]:/.test(segment) ? segment : segment.replace(/(?<=.):.*$/s, "");
    return /^\.*$/.test(name) ? name : name.replace(/[. ]+$/, "");
  });
  return normalPath(segments.join("/"));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
