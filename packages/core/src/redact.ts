/** Removes secrets before anything is stored or shown: by key, by shape and by value. */

export interface RedactOptions {
  /** Keys whose values are secret, besides the built-in ones. Compared without case, `_` and `-`. */
  keys?: readonly string[];
  /** Shapes of secrets in text, besides the built-in ones. */
  patterns?: readonly RegExp[];
  /** Known secrets, such as the values of environment variables. At least 6 characters each. */
  values?: readonly string[];
}

const MASK = "[redacted]";
const MIN_VALUE = 6;
const MAX_DEPTH = 64;

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

/** Each is linear: bounded repetition, no nesting. */
const SECRET_PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  /\beyJ[\w-]{10,2000}\.[\w-]{10,4000}\.[\w-]{5,2000}/g,
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,200}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr|github_pat)_[A-Za-z0-9_]{20,200}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,200}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\b(?:Bearer|Basic)\s{1,4}[A-Za-z0-9._~+/=-]{12,4000}/gi,
  /(?<=:\/\/[^\s/:@]{1,100}:)[^\s/@]{1,200}(?=@)/g,
];

export class Redactor {
  readonly #keys: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];
  readonly #values: Set<string>;

  constructor({ keys = [], patterns = [], values = [] }: RedactOptions = {}) {
    this.#keys = new Set([...SECRET_KEYS, ...keys.map(simplify)]);
    this.#patterns = [...SECRET_PATTERNS, ...patterns.map(asGlobal)];
    this.#values = new Set();
    for (const value of values) this.register(value);
  }

  /** Adds a secret by value. Shorter ones are ignored: they would black out ordinary words. */
  register(value: string): void {
    if (value.length >= MIN_VALUE) this.#values.add(value);
  }

  text(text: string): string {
    let clean = text;
    for (const value of this.#values) clean = clean.replaceAll(value, MASK);
    for (const pattern of this.#patterns) clean = clean.replace(pattern, MASK);
    return clean;
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

  #isSecretKey(key: string): boolean {
    const simple = simplify(key);
    if (this.#keys.has(simple)) return true;
    return /(?:password|secret|apikey|privatekey|accesstoken|authtoken|refreshtoken|bearertoken)$/.test(
      simple,
    );
  }
}

function simplify(key: string): string {
  return key.toLowerCase().replace(/[_\-\s.]/g, "");
}

function asGlobal(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
}
