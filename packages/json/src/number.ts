import { isDigit, MINUS } from "./characters.ts";
import { ANY_NUMBER, ANY_STRING, ANYWHERE } from "./schema-hint.ts";
import type { ParserState } from "./state.ts";

/** Offset after the JSON number that begins at `i`, or `i` when none does. */
export function numberEnd(s: ParserState, i: number): number {
  const { text, end } = s;
  let j = i;
  if (text.charCodeAt(j) === MINUS) j++;
  const first = text.charCodeAt(j);
  const whole = pastDigits(text, j, end);
  if (whole === j || (first === 48 && whole > j + 1)) return i;
  j = whole;
  if (j < end && text.charCodeAt(j) === 46) {
    const fraction = pastDigits(text, j + 1, end);
    if (fraction === j + 1) return i;
    j = fraction;
  }
  if (j < end && (text.charCodeAt(j) | 32) === 101) {
    const sign = text.charCodeAt(j + 1);
    const digits = sign === 43 || sign === MINUS ? j + 2 : j + 1;
    const exponent = pastDigits(text, digits, end);
    if (exponent === digits) return i;
    j = exponent;
  }
  return j;
}

function pastDigits(text: string, i: number, end: number): number {
  while (i < end && isDigit(text.charCodeAt(i))) i++;
  return i;
}

const LONGEST = 400;
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d*))?n?$/;
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const BASED = /^([+-]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/;

/**
 * The number that a word which is not a JSON number stands for: `+1`, `.5`, `5.`, `1e`, `0x1F`, `1_000`, `1,000`.
 * Undefined when it is none. Leading zeros are an identifier's, not a number's, unless a number is what is wanted.
 */
export function lenientNumber(word: string, wanted: boolean): number | undefined {
  if (word.length > LONGEST) return undefined;
  const based = BASED.exec(word);
  if (based !== null) return Number(based[2]) * (based[1] === "-" ? -1 : 1);
  if (GROUPED.test(word)) return Number(word.replaceAll(",", ""));
  const plain = /\d_\d/.test(word) ? word.replace(/(?<=\d)_(?=\d)/g, "") : word;
  const parts = DECIMAL.exec(plain);
  if (parts === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = ""] = parts;
  if (whole === "" && fraction === "") return undefined;
  if (whole.length > 1 && whole.startsWith("0") && !wanted) return undefined;
  const power = /\d/.test(exponent) ? `e${exponent}` : "";
  return Number(
    `${sign === "-" ? "-" : ""}${whole === "" ? "0" : whole}.${fraction === "" ? "0" : fraction}${power}`,
  );
}

/**
 * What the JSON number at an offset comes to. Its own characters where the schema takes text but no number, or where a
 * double would lose digits: `3.10` is a version, and 19 digits are an identifier. Where it takes no text either, the
 * document is not exact. A schema that says nothing of a place takes text there. Without a schema it is a double.
 */
export function takeNumber(s: ParserState, offset: number, literal: string): unknown {
  const value = Number(literal);
  if (s.rootHint === undefined) {
    if (s.literals !== undefined && String(value) !== literal) s.keepLiteral(literal);
    return value;
  }
  const hint = s.valueHint() ?? ANYWHERE;
  const lost = losesDigits(literal, value);
  if (hint.allows(ANY_STRING) && (lost || !hint.allows(ANY_NUMBER))) {
    s.report("number-text", offset, literal, JSON.stringify(literal));
    return literal;
  }
  if (lost && s.inexact < 0) s.inexact = s.base + offset;
  return value;
}

/** Whether a whole number is another one as a double, or none at all. Fractions are rounded, as everywhere. */
function losesDigits(literal: string, value: number): boolean {
  if (!Number.isFinite(value)) return true;
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(literal)) return false;
  return BigInt(literal) !== BigInt(value);
}
