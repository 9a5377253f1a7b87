import { isConstant } from "../copy.ts";
import { ToolrigError } from "../failure/failure.ts";
import { MADE_ID } from "../ids.ts";
import type { Option } from "../options/declare-options.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { checked, listOf, part, strings, that } from "../options/kinds.ts";
import { messageOf } from "../plain.ts";
import { cleanStrings } from "./redact/json-strings.ts";
import { maskPairs } from "./redact/pairs.ts";
import { maskPlaces } from "./redact/places.ts";
import { HINT_OF_NAME, looksRandom, type Secrecy, secrecyOf, simplify } from "./redact/secret-keys.ts";
import { maskTokens } from "./redact/token-shapes.ts";
import { redactFact } from "./redact-fact.ts";

/** Removes secrets before anything is stored or shown: by key, by shape and by value. */

export interface RedactOptions {
  /** Keys whose values are secret, besides the built-in ones. Compared without case, `_` and `-`. */
  keys?: readonly string[];
  /** Shapes of secrets in text, besides the built-in ones. */
  patterns?: readonly RegExp[];
  /** Known secrets, such as the values of environment variables. At least 6 characters each. */
  values?: readonly string[];
}

const redactOptions = declareOptions("redact", {
  keys: strings("a list of names"),
  patterns: listOf(
    "a list of regular expressions",
    that("a regular expression", (value) => value instanceof RegExp),
  ),
  values: strings("a list of secrets"),
} satisfies OptionTable<RedactOptions>);

/** An option that holds a redactor, or the options of one. */
export function redactOption(): Option<RedactOptions | Redactor> {
  return checked(`a Redactor, or ${redactOptions.names.join(", ")}`, (field, value, checks) => {
    if (!(value instanceof Redactor)) redactOptions.check(value, field, checks);
  });
}

/** An option that holds a redactor. */
export function redactorOption(): Option<Redactor> {
  return part("a Redactor", ["text", "value", "fact"]);
}

const MASK = "[redacted]";
const MIN_VALUE = 6;
const MAX_DEPTH = 64;
const MAX_JUDGED = 1_000;

export class Redactor {
  readonly #keys: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];
  readonly #values: Set<string>;
  readonly #judged = new Map<string, Secrecy>();
  readonly #fields = new Map<string, Field>();
  /** Ids, names and short texts come several times in one record, and some in all. */
  readonly #texts = new Map<string, string>();
  /** True for an id that holds a secret. The ids of a run come with each of its calls. */
  readonly #ids = new Map<string, boolean>();

  constructor(options: RedactOptions = {}) {
    redactOptions.check(options, "redact");
    const { keys = [], patterns = [], values = [] } = options;
    this.#keys = new Set(keys.map(simplify));
    this.#patterns = patterns.map(asGlobal);
    this.#values = new Set();
    for (const value of values) this.register(value);
  }

  /** Adds a secret by value. Shorter ones are ignored: they would black out ordinary words. */
  register(value: string): void {
    if (value.length < MIN_VALUE || this.#values.has(value)) return;
    // Longest first: a secret that begins like a shorter one must not keep its tail.
    const inJson = JSON.stringify(value).slice(1, -1);
    const all = [...this.#values, value, inJson, ...inAddress(value)].sort((a, b) => b.length - a.length);
    this.#values.clear();
    for (const each of all) this.#values.add(each);
    this.#fields.clear();
    this.#texts.clear();
    this.#ids.clear();
  }

  text(text: string): string {
    return this.#texts.get(text) ?? remember(this.#texts, text, this.#clean(text));
  }

  /** Throws `OPTION_INVALID` for an id that holds a secret. Parts of ids that are made here hold none, whatever they look like. */
  refuseSecretId(field: string, id: string | undefined): void {
    if (id === undefined) return;
    const isRefused = this.#ids.get(id) ?? remember(this.#ids, id, this.#holdsSecret(id));
    if (!isRefused) return;
    const shown = JSON.stringify(this.text(id));
    const message = `${field} holds a secret: ${shown}. Ids are stored and shown as they are; use one without the secret.`;
    throw new ToolrigError("OPTION_INVALID", message);
  }

  /**
   * A principal's id as it is kept. Patterns do not apply: they describe what people say, such as mail addresses, and an id that they
   * changed would no longer be its owner's. Given values and known shapes of tokens are removed.
   */
  principalId(id: string): string {
    let clean = id;
    for (const value of this.#values) clean = clean.replaceAll(value, MASK);
    return maskTokens(clean, MASK);
  }

  #holdsSecret(id: string): boolean {
    for (const value of this.#values) if (id.includes(value)) return true;
    const chosen = id.replace(MADE_ID, "");
    return chosen !== "" && this.#clean(chosen) !== chosen;
  }

  #clean(text: string): string {
    let clean = maskTokens(this.#byRule(text), MASK);
    const mayName = this.#keys.size > 0 || HINT_OF_NAME.test(clean);
    if ((mayName || this.#hasRules) && clean.includes("\\"))
      clean = cleanStrings(clean, (said) => this.text(said));
    return mayName ? maskPairs(maskPlaces(clean, MASK), MASK, this.#secrecyOf) : clean;
  }

  get #hasRules(): boolean {
    return this.#patterns.length > 0 || this.#values.size > 0;
  }

  /** Without what the given values and patterns name. */
  #byRule(text: string): string {
    let clean = text;
    for (const value of this.#values) clean = clean.replaceAll(value, MASK);
    for (const pattern of this.#patterns) clean = clean.replace(pattern, MASK);
    return clean;
  }

  /** A number is compared with given values and patterns by its digits. */
  #number(value: number): unknown {
    if (!this.#hasRules) return value;
    const digits = String(value);
    return digits.length >= MIN_VALUE && this.#byRule(digits) !== digits ? MASK : value;
  }

  /** A copy of a value without its secrets. Cycles and what cannot be read are named instead of copied. */
  value(value: unknown): unknown {
    return this.#copy(value, [], 0);
  }

  /** The same of a record, a result, an event or an entry of a store: its identifiers, hashes and times stay as they are. */
  fact<Fact>(fact: Fact): Fact {
    return redactFact(this, fact);
  }

  /** `under` is what the key says that a value stands under: it counts for each item of a list. */
  #copy(value: unknown, ancestors: object[], depth: number, under: Secrecy = "no"): unknown {
    if (typeof value === "string") return under === "perhaps" && looksRandom(value) ? MASK : this.text(value);
    if (typeof value === "number") return this.#number(value);
    if (typeof value === "bigint") return this.text(value.toString());
    if (typeof value === "function" || typeof value === "symbol") return undefined;
    if (typeof value !== "object" || value === null) return value;
    if (isConstant(value)) return value;
    if (ancestors.includes(value)) return "[circular]";
    if (depth >= MAX_DEPTH) return "[too deep]";
    ancestors.push(value);
    try {
      if (Array.isArray(value))
        return value.map((item, index) =>
          this.#isOption(value[index - 1], item) ? MASK : this.#copy(item, ancestors, depth + 1, under),
        );
      if (Object.getPrototypeOf(value) !== Object.prototype) {
        if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
        if (value instanceof Map) return this.#copy(Object.fromEntries(value), ancestors, depth + 1);
        if (value instanceof Set) return this.#copy([...value], ancestors, depth + 1);
        if (value instanceof String) return this.#copy(String(value), ancestors, depth + 1, under);
        if (value instanceof Error) return this.text(`${value.name}: ${messageOf(value)}`);
      }
      const json = (value as { toJSON?: unknown }).toJSON;
      if (typeof json === "function") return this.#copy(json.call(value), ancestors, depth + 1);
      return this.#object(value as Record<string, unknown>, ancestors, depth);
    } catch {
      return "[unreadable]";
    } finally {
      ancestors.pop();
    }
  }

  #object(from: Record<string, unknown>, ancestors: object[], depth: number): unknown {
    const isSecretValue = this.#namesSecret(from);
    const isManifest = from.kind === "Secret";
    const isWebKey = typeof from.kty === "string";
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(from)) {
      const { secrecy, shown } = this.#field(key);
      const value = from[key];
      const masked =
        value !== null &&
        value !== undefined &&
        ((isSecretValue && VALUE_FIELDS.has(key)) ||
          (isManifest && MANIFEST_FIELDS.has(key)) ||
          (isWebKey && PRIVATE_FIELDS.has(key)) ||
          isSecret(secrecy, key, value));
      const clean = masked ? MASK : this.#copy(value, ancestors, depth + 1, secrecy);
      if (shown === "__proto__") Object.defineProperty(copy, shown, { value: clean, ...PLAIN });
      else copy[shown] = clean;
    }
    return copy;
  }

  /** `{ name: "password", value: "x" }`. */
  #namesSecret(from: Record<string, unknown>): boolean {
    if (from.value === undefined && from.Value === undefined) return false;
    const name = from.name ?? from.Name ?? from.key ?? from.Key ?? from.field ?? from.header;
    return typeof name === "string" && this.#secrecyOf(name) === "yes";
  }

  /** `["--password", "x"]`. */
  #isOption(before: unknown, item: unknown): boolean {
    if (typeof before !== "string" || typeof item !== "string" || item.startsWith("-")) return false;
    if (!OPTION.test(before)) return false;
    const secrecy = this.#secrecyOf(before);
    return secrecy === "yes" || (secrecy === "perhaps" && looksRandom(item));
  }

  readonly #secrecyOf = (key: string): Secrecy => {
    const known = this.#judged.get(key);
    if (known !== undefined) return known;
    return remember(this.#judged, key, key.length > MAX_KEY ? "no" : secrecyOf(key, this.#keys));
  };

  /** What a key says, and the key without what is secret in it: a secret may be a key itself. */
  #field(key: string): Field {
    const known = this.#fields.get(key);
    if (known !== undefined) return known;
    const shown = key.length < MIN_VALUE ? key : this.text(key);
    return remember(this.#fields, key, { secrecy: this.#secrecyOf(key), shown });
  }
}

interface Field {
  secrecy: Secrecy;
  shown: string;
}

const PLAIN = { enumerable: true, configurable: true, writable: true } as const;
const VALUE_FIELDS: ReadonlySet<string> = new Set(["value", "Value"]);
/** Of a Secret of Kubernetes. */
const MANIFEST_FIELDS: ReadonlySet<string> = new Set(["data", "stringData"]);
/** Of a JSON web key. */
const PRIVATE_FIELDS: ReadonlySet<string> = new Set(["d", "p", "q", "dp", "dq", "qi", "k"]);
const MAX_KEY = 100;
const OPTION = /^--?[A-Za-z][\w-]{1,63}$/;

/** The same few keys come again in every record; long ones are not worth it. */
function remember<Answer>(known: Map<string, Answer>, key: string, answer: Answer): Answer {
  if (known.size >= MAX_JUDGED) known.clear();
  if (key.length <= MAX_KEY) known.set(key, answer);
  return answer;
}

function isSecret(secrecy: Secrecy, key: string, value: unknown): boolean {
  if (secrecy === "no") return false;
  if (secrecy === "perhaps") return typeof value === "string" && looksRandom(value);
  // How many there are is no secret.
  return !(typeof value === "number" && /s$/i.test(key)) && typeof value !== "boolean";
}

/** A secret as it stands in an address or a form, where it is written differently there. */
function inAddress(value: string): string[] {
  try {
    const encoded = encodeURIComponent(value);
    return [...new Set([encoded, encoded.replaceAll("%20", "+")])].filter((each) => each !== value);
  } catch {
    return []; // Half of a surrogate pair has no such form.
  }
}

function asGlobal(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
}
