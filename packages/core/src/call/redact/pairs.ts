import { valuesInOtherForms } from "./other-forms.ts";
import { isHeader, type Judge, looksRandom, type Secrecy } from "./secret-keys.ts";
import {
  CONSTANT,
  endOfHeader,
  isPlaceholder,
  isReference,
  listAt,
  QUOTE,
  quotedAt,
  quotedThrice,
  spanned,
  TRIPLE,
  TYPE,
  type Value,
  WordEnds,
} from "./value-at.ts";
import { valuesInBlocks } from "./yaml-blocks.ts";

/**
 * Secrets by their names inside text: JSON that was not parsed, also inside of other JSON, Python and YAML, environment
 * files, queries, headers, options of programs and XML.
 */

/** How a name and its value are written. */
type Style = "quoted" | "bare" | "option" | "element" | "spoken";

interface Pair {
  key: string;
  style: Style;
  /** Where the name begins, and where the value does. */
  at: number;
  from: number;
  /** What stands between them. */
  between: string;
}

/** `"key":` (its quotes may be escaped), `key=` or `key: `, `--key `, `<key>`. */
const KEY_IN_TEXT =
  /(\\{0,7})(["'`])([\w .$-]{1,64})\1\2(\]?\s{0,8}(?:=>|[:=,])\s{0,8})|(?<![\w.$-])([\w.$-]{1,64})([ \t]{0,8}(?::=|=>|=(?!=)|:(?!:|\/\/))[ \t]{0,8})|<([\w:.-]{1,64})(?:\s[^<>]{0,100})?>/g;
const OPTION = /(?<![\w-])--?([A-Za-z][\w-]{1,63})( {1,4})(?=[^\s-])/g;

/** `the token is abc123`, `password -> abc123`, `api_key abc123`, a row of a table. */
const SPOKEN =
  /(?<![\w.$-])([\w.$-]{4,64})(?:[ \t]{1,4}(?:is|was|->|→|=)[ \t]{1,4}|[ \t]{0,4}\|[ \t]{0,4}|(?:[ \t]|\\t){1,4})(?=[\w!@#$%^&*+/=~.-]{0,40}\d)/g;

/** `text` with the values of secret names replaced by `mask`. */
export function maskPairs(text: string, mask: string, secrecyOf: Judge): string {
  const found = [
    ...valuesIn(text, KEY_IN_TEXT, secrecyOf),
    ...optionsIn(text, secrecyOf),
    ...(/\d/.test(text) ? valuesIn(text, SPOKEN, secrecyOf) : []),
    ...valuesInOtherForms(text, secrecyOf),
    ...(text.includes("\n") ? valuesInBlocks(text, secrecyOf) : []),
  ];
  if (found.length === 0) return text;
  found.sort((a, b) => a.start - b.start);
  let clean = "";
  let from = 0;
  for (const { start, end } of found) {
    if (start < from) continue;
    clean += text.slice(from, start) + mask;
    from = end;
  }
  return clean + text.slice(from);
}

/** The beginning says whether a value is the secret. */
const MAX_JUDGED = 1_000;

function optionsIn(text: string, secrecyOf: Judge): Value[] {
  return /(?:^|\s)-/.test(text) ? valuesIn(text, OPTION, secrecyOf) : [];
}

function valuesIn(text: string, pattern: RegExp, secrecyOf: Judge): Value[] {
  const found: Value[] = [];
  const named = new NamedValues(secrecyOf);
  const ends = new WordEnds();
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const pair = withoutEscape(text, pairOf(match, pattern), secrecyOf);
    const secrecy = secrecyOf(pair.key);
    const byName = named.expects(pair);
    if (secrecy === "no" && !byName && !named.isPart(pair.key)) {
      // What stands behind the name of an element may be attributes.
      if (pair.style === "element") pattern.lastIndex = pair.at + 1 + pair.key.length;
      continue;
    }
    const value = valueAt(text, pair, secrecy, ends);
    if (value === undefined) {
      if (secrecy === "yes") named.open(pair.from);
      continue;
    }
    const other = named.see(pair, value, text);
    if (other !== undefined) found.push(other);
    const word = text.slice(value.start, Math.min(value.end, value.start + MAX_JUDGED));
    const isSecret =
      (byName && !isPlaceholder(word)) ||
      (secrecy !== "no" && isSecretValue(text, pair, value, word, secrecy, secrecyOf));
    if (!isSecret) continue;
    found.push(value);
    pattern.lastIndex = Math.max(value.end, pattern.lastIndex);
  }
  return found;
}

/** In JSON a name that begins a line stands behind `\n`, whose letter is none of its own. */
function withoutEscape(text: string, pair: Pair, secrecyOf: Judge): Pair {
  const { key, at, style } = pair;
  if ((style !== "bare" && style !== "spoken") || text[at - 1] !== "\\" || !/^[nrt]./.test(key)) return pair;
  const bare = key.slice(1);
  return secrecyOf(bare) === "no" ? pair : { ...pair, key: bare, at: at + 1 };
}

function pairOf(match: RegExpExecArray, pattern: RegExp): Pair {
  const { index: at } = match;
  const from = at + match[0].length;
  if (pattern === SPOKEN) return { key: match[1] ?? "", style: "spoken", at, from, between: " " };
  if (pattern === OPTION) return { key: match[1] ?? "", style: "option", at, from, between: " " };
  if (match[3] !== undefined) return { key: match[3], style: "quoted", at, from, between: match[4] ?? "" };
  if (match[5] !== undefined) return { key: match[5], style: "bare", at, from, between: match[6] ?? "" };
  return { key: match[7] ?? "", style: "element", at, from, between: "" };
}

/** `{ "name": "password", "value": "x" }`, in either order. */
class NamedValues {
  readonly #secrecyOf: Judge;
  #name: number | undefined;
  #isOpen = false;
  #value: Value | undefined;

  constructor(secrecyOf: Judge) {
    this.#secrecyOf = secrecyOf;
  }

  isPart(key: string): boolean {
    return NAME_FIELDS.has(key) || VALUE_FIELDS.has(key);
  }

  /** `{ "token": { "value": "x" } }`: what is called a value or a key near here is secret. */
  open(at: number): void {
    this.#name = at;
    this.#isOpen = true;
  }

  /** Whether the value of a pair belongs to a secret name just before it. */
  expects({ key, at }: Pair): boolean {
    if (this.#name === undefined || at - this.#name >= NEAR) return false;
    return VALUE_FIELDS.has(key) || (this.#isOpen && key === "key");
  }

  /** The value before, where this pair names it a secret. */
  see({ key, style, at }: Pair, value: Value, text: string): Value | undefined {
    const before = this.#value;
    if (VALUE_FIELDS.has(key)) this.#value = value;
    if (!NAME_FIELDS.has(key)) return undefined;
    // Without quotes it is YAML.
    const isName = value.quoted || (style === "bare" && isAtStart(text, at) && isAlone(text, value.end));
    const isSecret = isName && this.#secrecyOf(text.slice(value.start, value.end)) === "yes";
    this.#name = isSecret ? value.end : undefined;
    this.#isOpen = false;
    return isSecret && before !== undefined && value.start - before.end < NEAR ? before : undefined;
  }
}

const NAME_FIELDS: ReadonlySet<string> = new Set(["name", "Name", "key", "Key", "field", "header"]);
const VALUE_FIELDS: ReadonlySet<string> = new Set(["value", "Value", "val"]);
const NEAR = 60;

function valueAt(text: string, pair: Pair, secrecy: Secrecy, ends: WordEnds): Value | undefined {
  const { key, style, at, between } = pair;
  if (style === "element") return spanned(text, pair.from, text.indexOf("<", pair.from));
  const from = pair.from + (ANCHOR.exec(text.slice(pair.from, pair.from + 40))?.[0].length ?? 0);
  if (TRIPLE.test(text.slice(from, from + 3))) return quotedThrice(text, from);
  const quote = QUOTE.exec(text.slice(from, from + 9));
  if (quote !== null) return quotedAt(text, from + quote[0].length, quote[1]?.length ?? 0, quote[2] ?? "");
  if (text[from] === "[" && secrecy === "yes") return listAt(text, from + 1);
  if (text[from] === "{" || text[from] === "[") return undefined;
  if (isHeader(key) && between.includes(":")) return spanned(text, from, endOfHeader(text, at, from));
  return spanned(text, from, ends.after(text, from, style === "option"));
}

/** `password: &name x`, `password: !!str x`. */
const ANCHOR = /^(?:(?:&\w{1,20}|!!?\w{1,10})[ \t]{1,4}){1,2}/;

/** Whether what stands at a secret name is the secret: a quoted text is, a word that is not quoted may be prose or code. */
function isSecretValue(
  text: string,
  pair: Pair,
  { end, quoted }: Value,
  word: string,
  secrecy: Secrecy,
  secrecyOf: Judge,
): boolean {
  if (isPlaceholder(word)) return false;
  if (secrecy === "perhaps") return looksRandom(word);
  if (pair.style === "quoted" && pair.between.includes(",") && !isGiven(text, pair, end, word)) return false;
  if (pair.style === "spoken") return word.length >= 8 && looksRandom(word) && !isReference(word);
  // A shell runs what is in backquotes.
  if (quoted && text[end] === "`" && pair.between === "=") return false;
  if (quoted) return !CONSTANT.test(word);
  if (isHeader(pair.key) && pair.between.includes(":")) return isHeaderValue(word);
  if (pair.style === "quoted") return !/^(?:true|false|null|None|True|False|undefined)$/.test(word);
  if (pair.style === "element") return !/^\s*$/.test(word);
  if (looksRandom(word)) return !isReference(word);
  if (/^\d{1,5}$/.test(word) || TYPE.test(word) || isReference(word)) return false;
  if (pair.style === "option") return !/^(?:id|src|type)=/.test(word);
  const isTight = pair.between === "=";
  if (isTight && /^[A-Z][A-Z0-9_]*$/.test(pair.key)) return true;
  // A name of a secret is a variable that holds it: `connect(password=db_password)`.
  if (secrecyOf(word) === "yes") return false;
  if (/^(?:[A-Z][a-z]+){2,}$/.test(word) && /[;,)]/.test(text.charAt(end))) return false;
  return isTight || (isAtStart(text, pair.at) && isAlone(text, end));
}

/** `["--password", "x"]`, `define("DB_PASSWORD", "x")`: other names in a list are not followed by their values. */
function isGiven(text: string, { key, at }: Pair, end: number, word: string): boolean {
  if (key.startsWith("-")) return !word.startsWith("-");
  return (
    SETTER.test(text.slice(Math.max(0, at - 24), at)) &&
    /^[\\"'`]{1,8}\s{0,8}\)/.test(text.slice(end, end + 20))
  );
}

const SETTER = /(?:define|set\w{0,12}|put|putenv|append|header|getenv)\(\s{0,4}$/i;

/** `Bearer abcdefghijkl`, `sid=1; theme=dark`: a scheme with one long word, or something that is made up by a machine. */
function isHeaderValue(line: string): boolean {
  if (/<[\w\s-]+>|\$\{?\w|\{\{/.test(line)) return false;
  if (/^[\w-]+\s+\S{12,}$/.test(line)) return true;
  return line.split(/[\s;,]+/).some((word) => looksRandom(word) || /^[\w.-]+=[^\s"']+/.test(word));
}

/** Whether a name begins a line, or an entry of a list or an object: prose does not. */
function isAtStart(text: string, at: number): boolean {
  let index = at - 1;
  while (index >= 0 && (text[index] === " " || text[index] === "\t")) index -= 1;
  if (index < 0 || /[\n\r{,([;|>*#?&-]/.test(text.charAt(index))) return true;
  return text[index - 1] === "\\" && /[nrt]/.test(text.charAt(index));
}

/** Whether nothing but the end of a line or an entry comes after a value. */
function isAlone(text: string, end: number): boolean {
  let index = end;
  while (text[index] === " " || text[index] === "\t") index += 1;
  return index >= text.length || /[\n\r},;)\]#|\\"'`]/.test(text.charAt(index));
}
