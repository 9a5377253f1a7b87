/** What the native engine may do for a pattern, in steps of its own: so many at all, and so many for each character. */
export interface NativeCost {
  fixed: number;
  perCharacter: number;
}

const TOKEN =
  /\\(?:[1-9k]|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[=!]|<[=!]|:|<[^>]*>)?)?|[?*+]\??|\{\d+(?:,\d*)?\}\??|./gsu;
/** Repeats up to here count as so many choices, longer ones as unbounded. */
const MAX_REPEAT = 64;
const MAX_CHOICES = 256;

/**
 * The cost of a pattern on the native engine, which backtracks, or undefined where that is not known to be linear. Linear
 * is what has bounded choices everywhere, and at most one unbounded repeat, of a single character, in a pattern that is
 * anchored at the start. Each choice may be tried at each place where a match may start or the repeat may end, and each
 * such attempt may look at all the rest of the pattern. Sound, not complete: an undefined costs only speed.
 */
export function nativeCost(source: string): NativeCost | undefined {
  let choices = 1;
  let span = 0;
  let unbounded = 0;
  let spanAfter = 0;
  let previous = "";
  let depth = 0;
  let anchored = source.startsWith("^");
  for (const [text] of source.matchAll(TOKEN)) {
    if (/^\\[1-9k]/.test(text) || /^\(\?(?:[=!]|<[=!])/.test(text)) return undefined;
    let reach = 0;
    if (text.startsWith("(")) depth++;
    else if (text === ")") depth--;
    else if (text === "|") {
      choices *= 2;
      if (depth === 0) anchored = false;
    } else if (/^[?*+]|^\{\d/.test(text)) {
      const [least, most] = repeatRange(text);
      if (previous === ")" && most > 1) return undefined;
      if (most > MAX_REPEAT) {
        unbounded++;
        spanAfter = 0;
      } else {
        choices *= most - least + 1;
        reach = Math.max(0, most - 1);
      }
    } else if (text !== "^" && text !== "$") reach = 1;
    span += reach;
    spanAfter += reach;
    previous = text;
  }
  if (choices > MAX_CHOICES) return undefined;
  if (unbounded === 0) {
    const cost = choices * Math.max(1, span);
    return anchored ? { fixed: cost, perCharacter: 0 } : { fixed: 0, perCharacter: cost };
  }
  if (unbounded > 1 || !anchored || choices > 32) return undefined;
  return { fixed: choices * span, perCharacter: choices * (1 + spanAfter) };
}

function repeatRange(quantifier: string): [least: number, most: number] {
  if (quantifier.startsWith("?")) return [0, 1];
  if (quantifier.startsWith("*") || quantifier.startsWith("+")) return [0, Number.POSITIVE_INFINITY];
  const [least = "0", most] = quantifier.replace(/[{}?]/g, "").split(",");
  if (most === undefined) return [Number(least), Number(least)];
  return [Number(least), most === "" ? Number.POSITIVE_INFINITY : Number(most)];
}
