/** What RE2 means by these, in the words of ripgrep's engine, which counts letters of all scripts in. */
const OUTSIDE: Readonly<Record<string, string>> = {
  d: "[0-9]",
  D: "[^0-9]",
  w: "[0-9A-Za-z_]",
  W: "[^0-9A-Za-z_]",
  s: "[\\t\\n\\f\\r ]",
  S: "[^\\t\\n\\f\\r ]",
  b: "(?-u:\\b)",
  B: "(?-u:\\B)",
};
const INSIDE: Readonly<Record<string, string>> = { d: "0-9", w: "0-9A-Za-z_", s: "\\t\\n\\f\\r " };
/** Escapes that both know. `\A` and `\z` are none: ripgrep means the whole text by them. */
const SHARED = /^\\(?:[^A-Za-z0-9]|[ftnrva]|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\}|[pP](?:[A-Z]|\{\^?\w+\}))/;

/**
 * An expression for ripgrep that finds every line which RE2 finds with this one. Undefined where that is not known to be
 * so: then ripgrep is not asked.
 */
export function rgPattern(source: string): string | undefined {
  // What says that a line's beginning and end are not meant.
  if (/\(\?[a-zA-Z]*-[a-zA-Z]*m/.test(source)) return undefined;
  let pattern = "";
  for (let at = 0; at < source.length; ) {
    const piece = source[at] === "[" ? setAt(source, at) : pieceAt(source, at);
    if (piece === undefined) return undefined;
    pattern += piece.text;
    at += piece.length;
  }
  return pattern;
}

interface Piece {
  readonly text: string;
  readonly length: number;
}

function pieceAt(source: string, at: number): Piece | undefined {
  const character = source.charAt(at);
  // What is shown of a line is without its CR, and nothing else in it is an end.
  if (character === "$") return { text: "(?:\\r?$)", length: 1 };
  if (character !== "\\") return { text: character, length: 1 };
  const known = OUTSIDE[source.charAt(at + 1)];
  return known === undefined ? shared(source, at) : { text: known, length: 2 };
}

function shared(source: string, at: number): Piece | undefined {
  const text = SHARED.exec(source.slice(at))?.[0];
  return text === undefined ? undefined : { text, length: text.length };
}

/** A set of characters: RE2 knows no sets in sets, and ripgrep does. */
function setAt(source: string, start: number): Piece | undefined {
  let at = source[start + 1] === "^" ? start + 2 : start + 1;
  let text = source.slice(start, at);
  for (let first = true; at < source.length; first = false) {
    const character = source.charAt(at);
    if (character === "]" && !first) return { text: `${text}]`, length: at + 1 - start };
    const posix = /^\[:\^?[a-z]+:\]/.exec(source.slice(at))?.[0];
    const piece = posix === undefined ? inSet(source, at, character) : { text: posix, length: posix.length };
    if (piece === undefined) return undefined;
    text += piece.text;
    at += piece.length;
  }
  return undefined;
}

function inSet(source: string, at: number, character: string): Piece | undefined {
  if (character === "\\") {
    const known = INSIDE[source.charAt(at + 1)];
    return known === undefined ? shared(source, at) : { text: known, length: 2 };
  }
  if (source.startsWith("--", at)) return undefined;
  return { text: /[[\]&~]/.test(character) ? `\\${character}` : character, length: 1 };
}
