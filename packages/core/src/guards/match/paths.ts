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
 * path that starts elsewhere ("/repo/.git/config", "../repo/.git/config", "vscode://repo/.git/config"). What is written in
 * percent signs is also read without them. Links are not followed: nothing is read.
 */
export function meansAny(path: string, patterns: readonly string[]): boolean {
  const spellings = spellingsOf(path);
  return patterns.some((pattern) => {
    const wanted = foldPath(pattern);
    const meant = wanted.endsWith("/**") ? [wanted, wanted.slice(0, -3)] : [wanted];
    return spellings.some((spelt) => meant.some((each) => means(spelt, each)));
  });
}

function means(path: string, pattern: string): boolean {
  if (matchesGlob(path, pattern)) return true;
  const elsewhere = /^(?:\/|\.\.(?:\/|$)|~|[a-z]:)/.test(path);
  return elsewhere && !pattern.startsWith("/") && matchesGlob(path, `**/${pattern}`);
}

/** How often text may be written in percent signs that stand for percent signs. */
const MAX_DECODED = 3;

function spellingsOf(path: string): string[] {
  const spellings = [foldPath(path)];
  let text = path;
  for (let times = 0; times < MAX_DECODED && /%[0-9a-f]{2}/i.test(text); times++) {
    text = decoded(text);
    spellings.push(foldPath(text));
  }
  return spellings;
}

/** As file systems see a path that ignore case, composition, invisible characters, spaces and dots at the ends, or streams. */
function foldPath(path: string): string {
  const spelt = path
    .normalize("NFC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .trim()
    .toLowerCase()
    // What stands behind the scheme of a URL, and its host where it has one, is a path from the root of somewhere.
    .replace(/^[a-z][a-z0-9+.-]+:(?:[/\\]{2}[^/\\]*)?(?=[/\\])/, "");
  const segments = spelt.split(/[/\\]/).map((segment, index) => {
    const name = index === 0 && /^[a-z]:/.test(segment) ? segment : segment.replace(/(?<=.):.*$/s, "");
    return /^\.*$/.test(name) ? name : withoutEnd(name.trimStart());
  });
  return normalPath(segments.join("/"));
}

/** By hand: an expression would look for the end of every run of spaces. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && /[.\s]/.test(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/** Sequences that stand for no character stay as they are. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (sequence) => {
    try {
      return decodeURIComponent(sequence);
    } catch {
      return sequence;
    }
  });
}
