import { check, settingsOf } from "../options/check.ts";
import { messageOf } from "../plain.ts";

/** Removes secrets before anything is stored or shown: by key, by shape and by value. */

export interface RedactOptions {
  /** Keys whose values are secret, besides the built-in ones. Compared without case, `_` and `-`. */
  keys?: readonly string[];
  /** Shapes of secrets in text, besides the built-in ones. */
  patterns?: readonly RegExp[];
  /** Known secrets, such as the values of environment variables. At least 6 characters each. */
  values?: readonly string[];
}

const SETTINGS = settingsOf<RedactOptions>({ keys: true, patterns: true, values: true });
const MASK = "[redacted]";
const MIN_VALUE = 6;
const MAX_DEPTH = 64;
const MAX_JUDGED = 1_000;

const SECRET_KEYS = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "apikey",
  "authorization",
  "cookie",
  "setcookie",
  "credential",
  "credentials",
  "privatekey",
  "accesskey",
  "secretkey",
  "clientsecret",
  "connectionstring",
  "sessionid",
];

/** Names of fields that end like a secret, and of those that only look it. */
const SECRET_ENDING =
  /(?:password|passwd|passphrase|secret|token|apikey|privatekey|secretkey|accesskey|credentials?)$/;
const NOT_SECRET = /(?:page|next|continuation|sync|resume)token$/;

/** Each is linear: what it scans it consumes, or the repetition is bounded and cannot begin again inside itself. */
const SECRET_PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  /(?<![\w-])eyJ[\w-]{10,2000}\.[\w-]{10,4000}\.[\w-]{5,2000}/g,
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,200}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr|github_pat)_[A-Za-z0-9_]{20,200}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,200}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\b(?:Bearer|Basic)\s{1,4}[A-Za-z0-9._~+/=-]{12,4000}/gi,
  /(?<=:\/\/[^\s/:@]{1,100}:)[^\s/@]{1,200}(?=@)/g,
];

/** What at least one of the patterns above needs: most texts have none of it, and are looked at once instead of nine times. */
const HINT_OF_SECRET =
  /-----BEGIN|eyJ|[spr]k[-_]|gh[pousr]_|github_pat_|xox|AKIA|ASIA|AIza|bearer\s|basic\s|:\/\//i;

export class Redactor {
  readonly #keys: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];
  readonly #values: Set<string>;
  readonly #judged = new Map<string, boolean>();

  constructor(options: RedactOptions = {}) {
    check.known("redact", options, SETTINGS);
    const { keys = [], patterns = [], values = [] } = options;
    check.strings("redact.keys", keys, "a list of names");
    check.strings("redact.values", values, "a list of secrets");
    check.list("redact.patterns", patterns, "a list of regular expressions");
    for (const [index, each] of patterns.entries())
      if (!(each instanceof RegExp))
        throw check.invalid(`redact.patterns[${index}]`, "a regular expression", each);
    this.#keys = new Set([...SECRET_KEYS, ...keys.map(simplify)]);
    this.#patterns = patterns.map(asGlobal);
    this.#values = new Set();
    for (const value of values) this.register(value);
  }

  /** Adds a secret by value. Shorter ones are ignored: they would black out ordinary words. */
  register(value: string): void {
    if (value.length < MIN_VALUE || this.#values.has(value)) return;
    // Longest first: a secret that begins like a shorter one must not keep its tail.
    const all = [...this.#values, value].sort((a, b) => b.length - a.length);
    this.#values.clear();
    for (const each of all) this.#values.add(each);
  }

  text(text: string): string {
    let clean = text;
    for (const value of this.#values) clean = clean.replaceAll(value, MASK);
    if (HINT_OF_SECRET.test(clean))
      for (const pattern of SECRET_PATTERNS) clean = clean.replace(pattern, MASK);
    for (const pattern of this.#patterns) clean = clean.replace(pattern, MASK);
    return this.#pairs(clean);
  }

  /** Secrets by key inside text: JSON that was not parsed, query strings, environment files. */
  #pairs(text: string): string {
    let clean = "";
    let from = 0;
    KEY_IN_TEXT.lastIndex = 0;
    for (let match = KEY_IN_TEXT.exec(text); match !== null; match = KEY_IN_TEXT.exec(text)) {
      if (!this.#isSecretKey(match[1] ?? match[2] ?? "")) continue;
      const start = KEY_IN_TEXT.lastIndex;
      const end = match[1] === undefined ? endOfWord(text, start) : endOfValue(text, start);
      if (end === start) continue;
      clean += text.slice(from, start) + (text[start] === '"' ? `"${MASK}"` : MASK);
      from = end;
      KEY_IN_TEXT.lastIndex = end;
    }
    return from === 0 ? text : clean + text.slice(from);
  }

  /** A copy of a value without its secrets. Cycles and what cannot be read are named instead of copied. */
  value(value: unknown): unknown {
    return this.#copy(value, new Set(), 0);
  }

  #copy(value: unknown, ancestors: Set<object>, depth: number): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "bigint") return value.toString();
    if (typeof value === "function" || typeof value === "symbol") return undefined;
    if (typeof value !== "object" || value === null) return value;
    if (ancestors.has(value)) return "[circular]";
    if (depth >= MAX_DEPTH) return "[too deep]";
    ancestors.add(value);
    try {
      if (Array.isArray(value)) return value.map((item) => this.#copy(item, ancestors, depth + 1));
      if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
      if (value instanceof Map) return this.#copy(Object.fromEntries(value), ancestors, depth + 1);
      if (value instanceof Set) return this.#copy([...value], ancestors, depth + 1);
      if (value instanceof Error) return this.text(`${value.name}: ${messageOf(value)}`);
      const json = (value as { toJSON?: unknown }).toJSON;
      if (typeof json === "function") return this.#copy(json.call(value), ancestors, depth + 1);
      const entries = Object.keys(value).map(
        (key) => [key, this.#field(value, key, ancestors, depth)] as const,
      );
      return Object.fromEntries(entries);
    } catch {
      return "[unreadable]";
    } finally {
      ancestors.delete(value);
    }
  }

  #field(from: object, key: string, ancestors: Set<object>, depth: number): unknown {
    const value = (from as Record<string, unknown>)[key];
    if (this.#isSecretKey(key) && value !== null && value !== undefined) return MASK;
    return this.#copy(value, ancestors, depth + 1);
  }

  /** The same few keys come again in every record. */
  #isSecretKey(key: string): boolean {
    let secret = this.#judged.get(key);
    if (secret === undefined) {
      const simple = simplify(key);
      secret = this.#keys.has(simple) || (SECRET_ENDING.test(simple) && !NOT_SECRET.test(simple));
      if (this.#judged.size >= MAX_JUDGED) this.#judged.clear();
      this.#judged.set(key, secret);
    }
    return secret;
  }
}

/** `"key":` as in JSON, or `key=` as in a query. */
const KEY_IN_TEXT = /"([\w .-]{1,64})"\s{0,8}:\s{0,8}|(?<![\w.-])([\w.-]{1,64})=/g;

/** Where a JSON string or literal ends. Objects and arrays are left to the keys inside them. */
function endOfValue(text: string, start: number): number {
  if (text[start] === "{" || text[start] === "[") return start;
  if (text[start] !== '"') return endOfWord(text, start);
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return Math.min(index + 1, text.length);
}

function endOfWord(text: string, start: number): number {
  let index = start;
  while (index < text.length && !WORD_END.has(text.charAt(index))) index += 1;
  return index;
}

const WORD_END = new Set(" \t\r\n&;,\"'<>{}[]()");

function simplify(key: string): string {
  return key.toLowerCase().replace(/[_\-\s.]/g, "");
}

function asGlobal(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
}
