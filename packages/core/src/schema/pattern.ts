import { RE2JS } from "re2js";
import { invalid } from "./reading.ts";

/** A compiled pattern. Takes time linear in the length of the text, unless a trusted schema insisted otherwise. */
export interface Matcher {
  readonly test: (text: string) => boolean;
  /** Steps of work that testing a text of this length may take, in the unit in which evaluation is limited. */
  work(length: number): number;
  readonly native: boolean;
}

/** About a quarter of a second in the worst case. Longer texts do not match. */
const MAX_WORK = 200_000;
/** Instructions of an RE2 program times characters that count as one step. */
const RE2_STEP = 100;
/** Characters in one step of the native engine on a linear pattern. */
const NATIVE_STEP = 64;

/**
 * The matcher for a schema's regular expression. The native engine backtracks, so it only runs patterns that are
 * shown to be linear; others run on RE2. What RE2 cannot express (look-around, back-references) is refused in an
 * untrusted schema, and runs natively in a trusted one.
 */
export function matcherFor(source: string, trusted: boolean, at: string): Matcher {
  const native = nativeMatcher(source);
  if (native !== undefined && isLinear(source)) return native;
  if (native === undefined && trusted)
    throw invalid(at, `holds an invalid regular expression: ${excerpt(source)}`);
  const linear = re2Matcher(source);
  if (linear !== undefined) return linear;
  if (native !== undefined && trusted) return native;
  throw invalid(
    at,
    `holds a regular expression that cannot be run in linear time (look-around, back-reference, a repeat beyond ` +
      `1000 or a syntax error): ${excerpt(source)}`,
  );
}

function nativeMatcher(source: string): Matcher | undefined {
  for (const flags of ["u", ""]) {
    try {
      const compiled = new RegExp(source, flags);
      return { native: true, test: (text) => compiled.test(text), work: (length) => length / NATIVE_STEP };
    } catch {}
  }
  return undefined;
}

function re2Matcher(source: string): Matcher | undefined {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  } catch {
    return undefined;
  }
  const size = compiled.programSize();
  const work = (length: number) => (length * size) / RE2_STEP;
  return { native: false, test: (text) => work(text.length) <= MAX_WORK && compiled.test(text), work };
}

/**
 * Whether the native engine is known to take linear time: bounded choices everywhere, and at most one unbounded
 * repeat, of a single character, in a pattern anchored at the start. Sound, not complete: a "no" costs only speed.
 */
function isLinear(source: string): boolean {
  const token =
    /\\(?:[1-9k]|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[=!]|<[=!]|:|<[^>]*>)?)?|[?*+]\??|\{\d+(?:,\d*)?\}\??|./gsu;
  let unbounded = 0;
  let choices = 1;
  let previous = "";
  let depth = 0;
  let anchored = source.startsWith("^");
  for (const [text] of source.matchAll(token)) {
    if (/^\\[1-9k]/.test(text) || /^\(\?(?:[=!]|<[=!])/.test(text)) return false;
    if (text.startsWith("(")) depth++;
    else if (text === ")") depth--;
    else if (text === "|") {
      choices *= 2;
      if (depth === 0) anchored = false;
    } else if (/^[?*+]|^\{\d/.test(text)) {
      const [least, most] = repeatRange(text);
      if (previous === ")" && most > 1) return false;
      if (most > 64) unbounded++;
      else choices *= most - least + 1;
    }
    previous = text;
  }
  if (choices > 256) return false;
  return unbounded === 0 || (unbounded === 1 && anchored && choices <= 32);
}

function repeatRange(quantifier: string): [least: number, most: number] {
  if (quantifier.startsWith("?")) return [0, 1];
  if (quantifier.startsWith("*") || quantifier.startsWith("+")) return [0, Number.POSITIVE_INFINITY];
  const [least = "0", most] = quantifier.replace(/[{}?]/g, "").split(",");
  if (most === undefined) return [Number(least), Number(least)];
  return [Number(least), most === "" ? Number.POSITIVE_INFINITY : Number(most)];
}

function excerpt(source: string): string {
  return JSON.stringify(source.length > 80 ? `${source.slice(0, 77)}...` : source);
}
