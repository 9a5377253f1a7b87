import type { JsonSchema } from "@toolrig/core";

type Json = Readonly<Record<string, unknown>>;

/** Keywords whose value is no schema, whatever it looks like. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required", "example"]);

const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas", "$defs"]);

/**
 * A schema whose references all name an entry of `defs`, so that any part of it can stand on its own. Those that lead nowhere
 * within the schema are left to whoever meets them.
 */
export class References {
  readonly root: Json;
  readonly defs: Record<string, unknown> = {};
  readonly #document: Json;
  readonly #levels: number;
  readonly #names = new Map<string, string>();
  /** What references lead to, by name. */
  readonly #met = new Map<string, unknown>();
  readonly #standalone = new WeakMap<Json, JsonSchema>();

  /** What lies deeper than so many levels takes anything. */
  constructor(document: JsonSchema, levels: number) {
    this.#document = document;
    this.#levels = levels;
    const { $defs: _, definitions: __, ...rest } = document;
    this.root = this.#rewritten(rest) as Json;
    // One after the other, however long the chain of references: each may add more.
    for (const [name, target] of this.#met) this.defs[name] = this.#rewritten(target);
  }

  get(name: string): unknown {
    return this.defs[name];
  }

  /** What an entry is called in a reference; undefined for one that leads elsewhere. */
  static nameIn($ref: unknown): string | undefined {
    return typeof $ref === "string" && $ref.startsWith("#/$defs/") ? $ref.slice(8) : undefined;
  }

  /** A part with what it refers to: the same object for the same part, so that it is compiled once however often it is written out. */
  standalone(part: unknown): JsonSchema {
    const schema =
      typeof part === "object" && part !== null ? (part as Json) : part === false ? { not: {} } : {};
    if (Object.keys(this.defs).length === 0) return schema;
    const alone = this.#standalone.get(schema) ?? { ...schema, $defs: this.defs };
    this.#standalone.set(schema, alone);
    return alone;
  }

  /** `named`: the keys are names of schemas, not keywords. */
  #rewritten(part: unknown, named = false, level = 0): unknown {
    if (typeof part !== "object" || part === null) return part;
    // A schema within another takes two levels of its JSON.
    if (level > 2 * this.#levels) return {};
    if (Array.isArray(part)) return part.map((each) => this.#rewritten(each, false, level + 1));
    return Object.fromEntries(
      Object.entries(part).map(([key, value]) => {
        if (named) return [key, this.#rewritten(value, false, level + 1)];
        if (key === "$ref" && typeof value === "string") return [key, this.#entry(value)];
        return [key, DATA.has(key) ? value : this.#rewritten(value, NAMED.has(key), level + 1)];
      }),
    );
  }

  #entry($ref: string): string {
    const known = this.#names.get($ref);
    if (known !== undefined) return known;
    const target = this.#target($ref);
    if (target === undefined) return $ref;
    const name = this.#free($ref.split("/").pop() ?? "");
    const told = `#/$defs/${name}`;
    this.#names.set($ref, told);
    this.defs[name] = true;
    this.#met.set(name, target === this.#document ? this.#bare() : target);
    return told;
  }

  #bare(): Json {
    const { $defs: _, definitions: __, ...rest } = this.#document;
    return rest;
  }

  #target($ref: string): unknown {
    if ($ref === "#") return this.#document;
    if (!$ref.startsWith("#/")) return undefined;
    let found: unknown = this.#document;
    for (const token of $ref.slice(2).split("/")) {
      const key = unescaped(token);
      if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
      found = (found as Json)[key];
    }
    return found;
  }

  /** Vendors take simple names only. */
  #free(wanted: string): string {
    const simple =
      wanted
        .replaceAll(/[^A-Za-z0-9_-]/g, "_")
        .replace(/^_+/, "")
        .slice(0, 40) || "root";
    let name = simple;
    for (let index = 2; Object.hasOwn(this.defs, name); index++) name = `${simple}_${index}`;
    return name;
  }
}

function unescaped(token: string): string {
  const plain = (text: string) => text.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return plain(decodeURIComponent(token));
  } catch {
    return plain(token);
  }
}
