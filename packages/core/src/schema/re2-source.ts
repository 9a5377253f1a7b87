import { RE2JS } from "re2js";

const SPACE =
  "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const NO_SPACE =
  "\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}" +
  "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const ANY = "[^\\n\\r\\x{2028}\\x{2029}]";
const TOKEN = /\\.|\[\^?|\]|\.|[^\\[\].]+/gsu;

/**
 * A JavaScript expression for RE2, meaning the same: to RE2, `.` takes carriage returns and line separators, and `\s`
 * knows no spaces but those of ASCII. Which engine runs a pattern must not decide what it matches.
 */
export function re2Source(source: string): string {
  const changesDot = /\(\?[a-z]*s/.test(source);
  let inClass = false;
  return RE2JS.translateRegExp(source).replace(TOKEN, (token) => {
    if (token === "\\s") return inClass ? SPACE : `[${SPACE}]`;
    if (token === "\\S") return inClass ? NO_SPACE : `[${NO_SPACE}]`;
    if (token === "." && !inClass && !changesDot) return ANY;
    if (token.startsWith("[")) {
      // Inside a class another bracket is a character.
      if (inClass) return `\\${token}`;
      inClass = true;
    } else if (token === "]") inClass = false;
    return token;
  });
}
