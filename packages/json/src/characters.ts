/** Character codes and classes that the tolerant parser looks at. */

const TAB = 9;
export const NEWLINE = 10;
const RETURN = 13;
export const SPACE = 32;
export const QUOTE = 34;
export const HASH = 35;
export const APOSTROPHE = 39;
export const OPEN_PAREN = 40;
export const CLOSE_PAREN = 41;
export const STAR = 42;
export const PLUS = 43;
export const COMMA = 44;
export const MINUS = 45;
export const DOT = 46;
export const ELLIPSIS = 0x2026;
export const SLASH = 47;
export const COLON = 58;
const SEMICOLON = 59;
export const LESS = 60;
export const EQUALS = 61;
export const GREATER = 62;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const BACKTICK = 96;
export const LOWER_U = 117;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;
export const BYTE_ORDER_MARK = 0xfeff;

/** A colon, or the full-width one of Chinese and Japanese text. */
export function isColon(code: number): boolean {
  return code === COLON || code === 0xff1a;
}

/** A comma, the full-width one, or a semicolon written for one. */
export function isComma(code: number): boolean {
  return code === COMMA || code === SEMICOLON || code === 0xff0c;
}

/** Space that JSON allows between tokens. */
export function isSpace(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === RETURN || code === TAB;
}

/** Space that JSON does not allow between tokens but that people and editors put there. */
export function isOddSpace(code: number): boolean {
  return (
    code === 0xa0 ||
    code === 0x0b ||
    code === 0x0c ||
    code === 0x1680 ||
    code === 0x180e ||
    (code >= 0x2000 && code <= 0x200d) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x2060 ||
    code === 0x3000 ||
    code === BYTE_ORDER_MARK
  );
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

export function isLetter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 0xc0 && code < 0xff00 && !isOddSpace(code) && !isCurly(code))
  );
}

/** A character of an unquoted key or of a name: letters, digits, `_`, `$`. */
export function isNamePart(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === 95 || code === 36;
}

function isCurly(code: number): boolean {
  return code >= 0x2018 && code <= 0x201f;
}

/** Double quotes other than `"`. */
function isCurlyDouble(code: number): boolean {
  return (
    code === 0x201c || code === 0x201d || code === 0x201e || code === 0x201f || code === 0xab || code === 0xbb
  );
}

/** Single quotes other than `'`: curly ones, the backtick and the acute accent. */
function isCurlySingle(code: number): boolean {
  return (code >= 0x2018 && code <= 0x201b) || code === BACKTICK || code === 0xb4;
}

/** Whether a string may begin with this character. */
export function isQuote(code: number): boolean {
  return (
    code === QUOTE ||
    code === APOSTROPHE ||
    (code >= BACKTICK && (isCurlyDouble(code) || isCurlySingle(code)))
  );
}

/**
 * Whether a string that begins with `open` may end with `code`. Straight quotes end only with themselves, so that a
 * curly quote inside them is data; a curly or backtick one ends with any quote of its kind.
 */
export function endsQuote(open: number, code: number): boolean {
  if (open === QUOTE || open === APOSTROPHE) return code === open;
  if (isCurlyDouble(open)) return isCurlyDouble(code) || code === QUOTE;
  return isCurlySingle(code) || code === APOSTROPHE;
}

export function isCloser(code: number): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET || code === CLOSE_PAREN;
}
