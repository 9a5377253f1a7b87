import { type Judge, looksRandom } from "./secret-keys.ts";
import { CONSTANT, isPlaceholder, quotedAt, spanned, TYPE, type Value } from "./value-at.ts";

/** A form in which a secret follows its name: the pattern ends where the value, or the quote before it, begins. */
interface Form {
  pattern: RegExp;
  /** What a text must have in it. */
  hint: RegExp;
  value(text: string, from: number): Value | undefined;
  /** Whether the value is the secret; of a text in quotes by default what is no constant. */
  isSecret?(word: string, text: string, end: number): boolean;
}

const QUOTES = /["'`]/;

const FORMS: readonly Form[] = [
  // `let password: string = "x"`, `static String PASSWORD: &str = "x"`
  {
    pattern: /(?<![\w.$-])([\w$]{1,64})[?!]?:[ \t]{0,4}[\w.<>[\]|&' ]{1,40}=[ \t]{0,4}(?=["'`])/g,
    hint: /=[ \t]{0,4}["'`]/,
    value: quoted,
  },
  // `#define PASSWORD "x"`
  { pattern: /#define[ \t]{1,8}(\w{1,64})[ \t]{1,8}(?=")/g, hint: /#define/, value: quoted },
  // `variable "db_password" { default = "x" }`
  {
    pattern: /variable[ \t]{1,4}"([\w-]{1,64})"\s{0,4}\{[^{}]{0,500}?\bdefault\s{0,8}=\s{0,4}(?=")/g,
    hint: /variable[ \t]{1,4}"/,
    value: quoted,
  },
  // `setPassword("x")`, `.withApiKey("x")`
  {
    pattern: /(?<![\w$])(?:set|with)_?([A-Za-z]\w{1,63})\([ \t]{0,4}(?=["'`])/g,
    hint: /(?:set|with)\w{1,64}\(/,
    value: quoted,
    isSecret: (word, text, end) => isNoConstant(word) && /^["'`]\s{0,4}\)/.test(text.slice(end, end + 6)),
  },
  // `my password is "x"`
  {
    pattern: /(?<![\w.$-])([\w.$-]{4,64})[ \t]{1,4}(?:is|was|to)[ \t]{1,4}(?=["'`])/g,
    hint: /(?:is|was|to)[ \t]{1,4}["'`]/,
    value: quoted,
    isSecret: (word) => word.length >= 4 && !/\s/.test(word) && isNoConstant(word) && !TYPE.test(word),
  },
  // `**Password:** x`
  {
    pattern: /(\*\*|__)([\w .-]{1,64})(?::\1|\1:)[ \t]{1,4}/g,
    hint: /\*\*|__/,
    value: (text, from) =>
      QUOTES.test(text.charAt(from)) ? quoted(text, from) : spanned(text, from, endOf(/\s/, text, from)),
    isSecret: (word, text, end) =>
      looksRandom(word) ||
      (!TYPE.test(word) &&
        isNoConstant(word) &&
        /^["'`]?[ \t]{0,8}(?:\r?\n|$)/.test(text.slice(end, end + 12))),
  },
  // `%3Faccess_token%3Dx`
  {
    pattern: /%(?:25){0,2}(?:3F|26)([\w.-]{1,64})%(?:25){0,2}3D/gi,
    hint: /%(?:25){0,2}3D/i,
    value: (text, from) => spanned(text, from, endOf(/%(?:25){0,2}(?:26|23)|[&\s"'<>]/i, text, from)),
  },
  // `{"pass\u0077ord":"x"}`
  {
    pattern: /["']((?:[\w .$-]|\\{1,4}u00[0-9a-f]{2}){1,64})\\{0,7}["']\s{0,8}:\s{0,8}(?=\\{0,7}["'])/gi,
    hint: /\\u00/,
    value: quoted,
  },
];

/** Secrets by their names where something stands between the two, or the name is written in another way. */
export function valuesInOtherForms(text: string, secrecyOf: Judge): Value[] {
  const found: Value[] = [];
  for (const { pattern, hint, value: read, isSecret = isNoConstant } of FORMS) {
    if (!hint.test(text)) continue;
    for (const match of text.matchAll(pattern)) {
      const key = unescaped(match[2] ?? match[1] ?? "");
      const secrecy = secrecyOf(key);
      if (secrecy === "no") continue;
      const value = read(text, match.index + match[0].length);
      if (value === undefined) continue;
      const word = text.slice(value.start, value.end);
      if (isPlaceholder(word) || (secrecy === "perhaps" && !looksRandom(word))) continue;
      if (isSecret(word, text, value.end)) found.push(value);
    }
  }
  return found;
}

function quoted(text: string, from: number): Value | undefined {
  const [all = "", escapes = "", quote = ""] = /^(\\{0,7})(["'`])/.exec(text.slice(from, from + 8)) ?? [];
  return quotedAt(text, from + all.length, escapes.length, quote);
}

/** No secret that stands without quotes is longer. */
const LONGEST = 2_000;

function endOf(end: RegExp, text: string, from: number): number {
  const rest = text.slice(from, from + LONGEST);
  return from + (end.exec(rest)?.index ?? rest.length);
}

function isNoConstant(word: string): boolean {
  return !CONSTANT.test(word);
}

function unescaped(key: string): string {
  return key.replace(/\\{1,4}u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
