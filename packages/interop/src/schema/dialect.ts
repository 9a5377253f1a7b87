/** What a vendor takes of JSON Schema in the definition of a tool. */
export interface Dialect {
  readonly name: string;
  /** Keywords that are passed on as they are. Others are said in words, and listed as lost. */
  readonly keywords: ReadonlySet<string>;
  /** Values of `format` that are taken. Undefined: all. */
  readonly formats?: ReadonlySet<string>;
  /** Objects name all their properties, require each, and allow no others: what is optional may be null. */
  readonly closed: boolean;
  /** References within the schema, also recursive ones. Without them they are written out, to a depth. */
  readonly refs: boolean;
  /** Several types in one list. */
  readonly typeLists: boolean;
  /** That null is allowed is said by this keyword. */
  readonly nullable?: string;
  /** Choices of anything but text. */
  readonly anyChoice: boolean;
  /** Objects of unnamed properties, and values of any kind. Without them the first is a list of entries, the second JSON text. */
  readonly open: boolean;
  /** What the names of properties look like. Others are renamed. */
  readonly keys?: RegExp;
  readonly limits?: Limits;
}

export interface Limits {
  readonly depth: number;
  readonly properties: number;
  /** Choices in all. */
  readonly choices: number;
  /** Characters of all names and choices. */
  readonly characters: number;
  /** From this many choices on, the characters of one list of them are limited. */
  readonly longList: { readonly choices: number; readonly characters: number };
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** OpenAI with `strict: true`: the model's answer is made to fit the schema. */
export const OPENAI_STRICT: Dialect = {
  name: "OpenAI strict",
  keywords: words(
    "multipleOf minimum maximum exclusiveMinimum exclusiveMaximum pattern format minItems maxItems",
  ),
  formats: words("date-time time date duration email hostname ipv4 ipv6 uuid"),
  closed: true,
  refs: true,
  typeLists: true,
  anyChoice: true,
  open: false,
  limits: {
    depth: 10,
    properties: 5_000,
    choices: 1_000,
    characters: 120_000,
    longList: { choices: 250, characters: 15_000 },
  },
};

/** Gemini's `parameters`: a subset of OpenAPI 3.0. */
export const GEMINI: Dialect = {
  name: "Gemini",
  keywords: words(
    "minimum maximum pattern format minItems maxItems minLength maxLength minProperties maxProperties",
  ),
  formats: words("date-time float double int32 int64"),
  closed: false,
  refs: false,
  typeLists: false,
  nullable: "nullable",
  anyChoice: false,
  open: false,
  keys: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
};
