import { validation } from "@toolrig/core";
import { RE2JS } from "re2js";

const MAX_LENGTH = 500;

/** Whether a file is meant: the folder it is in, relative to where the search began and ending in "/", and its name. */
export type PathMatcher = (prefix: string, name: string) => boolean;

/**
 * Whether a path, relative to where the search began, is one that a pattern means: `*` and `?` stop at folders, `**` does
 * not, `[a-z]` is one character, `{a,b}` one of several. A pattern without "/" is about names, however deep. Runs in time
 * that grows with the path alone. Throws a failure for a pattern that is none.
 */
export function pathMatcher(pattern: string): PathMatcher {
  if (pattern.length > MAX_LENGTH) throw validation(`The pattern is longer than ${MAX_LENGTH} characters.`);
  if (pattern === "" || pattern.includes("\0"))
    throw validation("The pattern is empty, or holds a NUL character.");
  if (pattern.startsWith("/") || pattern.split("/").includes(".."))
    throw validation(`Patterns are relative to path and do not leave it; got ${JSON.stringify(pattern)}.`);
  // Where only the name decides, the path need not be put together.
  const named = /^(?:\*\*\/)?([^/]+)$/.exec(pattern)?.[1];
  const isNamed = named !== undefined && !named.includes("**");
  const [, star, literal = ""] = /^(\*?)([^*?[\]{}\\]+)$/.exec(isNamed ? named : "") ?? [];
  if (literal !== "")
    return star === "*" ? (_, name) => name.endsWith(literal) : (_, name) => name === literal;
  const whole = pattern.includes("/") ? pattern.replace(/^\.\//, "") : `**/${pattern}`;
  try {
    const expression = RE2JS.compile(`^(?:${translate(isNamed ? named : whole)})$`, RE2JS.DOTALL);
    return isNamed ? (_, name) => expression.test(name) : (prefix, name) => expression.test(prefix + name);
  } catch {
    throw validation(`${JSON.stringify(pattern)} is no pattern such as "src/**/*.{ts,tsx}".`);
  }
}

const NO_CHARACTER = String.raw`[^\x00-\x{10FFFF}]`;

/** A set of characters without "/", also where a range goes over it. */
function withoutSlash(characters: string): string {
  const split = (range: string, from: string, to: string) =>
    from > "/" || to < "/" ? range : `${from < "/" ? `${from}-.` : ""}${to > "/" ? `0-${to}` : ""}`;
  return characters.replaceAll(/(.)-(.)/gsu, split).replaceAll("/", "");
}

function translate(pattern: string): string {
  let [expression, depth] = ["", 0];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    const startsSegment = at === 0 || pattern[at - 1] === "/";
    if (character === "*" && pattern[at + 1] === "*") {
      while (pattern[at + 1] === "*") at += 1;
      const folders = startsSegment && pattern[at + 1] === "/";
      if (folders) at += 1;
      expression += folders ? "(?:.*/)?" : ".*";
    } else if (character === "*") expression += "[^/]*";
    else if (character === "?") expression += "[^/]";
    else if (character === "[") {
      const set = /^\[([!^]?)(\]?[^\]]+)\]/.exec(pattern.slice(at));
      if (set === null) expression += "\\[";
      else {
        const [whole, not, characters = ""] = set;
        // Neither a set nor its opposite reaches into another folder.
        const inside = withoutSlash(characters).replaceAll(/[\\[\]^&~]/g, String.raw`\$&`);
        expression += not ? `[^/${inside}]` : inside === "" ? NO_CHARACTER : `[${inside}]`;
        at += whole.length - 1;
      }
    } else if (character === "{") {
      expression += "(?:";
      depth += 1;
    } else if (character === "}" && depth > 0) {
      expression += ")";
      depth -= 1;
    } else if (character === "," && depth > 0) expression += "|";
    else if (character === "\\") {
      at += 1;
      expression += RE2JS.quote(pattern.charAt(at));
    } else expression += RE2JS.quote(character);
  }
  return expression;
}
