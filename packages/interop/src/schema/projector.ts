import type { JsonSchema } from "@toolrig/core";
import { defined, isRecord } from "@toolrig/core/kit";
import { choicesOf, projectChoices } from "./choices.ts";
import type { Dialect } from "./dialect.ts";
import { merged } from "./merge.ts";
import { asClosed, described, withNull } from "./nullable.ts";
import { Nulls } from "./nulls.ts";
import { projectObject } from "./objects.ts";
import type { Back, Loss, Projected } from "./projected.ts";
import { References } from "./references.ts";
import { fits, Work } from "./work.ts";
import { wholeLength, writtenLength } from "./written-length.ts";

/** How often a part that refers to itself is written out where a vendor takes no references. */
const MAX_WRITTEN_OUT = 3;
/** Parts of a schema that are looked at, and how deep they may lie. What is beyond takes anything. */
const MAX_PARTS = 20_000;
const MAX_LEVELS = 100;

/**
 * Characters that a projection may have beyond twice those of its schema. Where a vendor takes no references, a short schema could
 * otherwise become megabytes that are sent with every request.
 */
const MAX_ADDED = 100_000;

/** Keywords that say nothing about which values are valid. */
const REMARKS: ReadonlySet<string> = new Set(
  "$schema $id $comment $anchor title description examples example deprecated readOnly writeOnly $defs definitions".split(
    " ",
  ),
);
/** Keywords that are read here, one way or another. */
const READ: ReadonlySet<string> = new Set(
  "type properties required additionalProperties items prefixItems anyOf oneOf allOf enum const $ref nullable".split(
    " ",
  ),
);

/**
 * Makes a schema valid for one vendor, from the inside out. What the vendor's schema takes is never narrower than what it is made
 * from, but for what is listed; arguments are validated against the tool's own schema in any case.
 */
export class Projector {
  readonly dialect: Dialect;
  readonly lost: Loss[] = [];
  /** What the way back may cost. */
  readonly work = new Work();
  readonly #whole = new WeakMap<object, readonly unknown[]>();
  readonly references: References;
  readonly defs: Record<string, unknown> = {};
  readonly #known = new Map<string, Projected>();
  readonly #writing: string[] = [];
  readonly #nulls: Nulls;
  #left = MAX_PARTS;
  /** Characters that may still be written. */
  #room: number;
  #level = 0;

  constructor(schema: JsonSchema, dialect: Dialect) {
    this.dialect = dialect;
    this.references = new References(schema, MAX_LEVELS);
    this.#nulls = new Nulls(this.references);
    this.#room = MAX_ADDED + 2 * wholeLength(schema);
  }

  lose(path: string, what: string, instead: string): void {
    this.lost.push({ path, what, instead });
  }

  of(given: unknown, path: string): Projected {
    this.#left -= 1;
    if (!isRecord(given) || this.#left < 0 || this.#level >= MAX_LEVELS) return this.#anything(given, path);
    this.#room -= writtenLength(given);
    if (this.#room < 0) return this.#anything({}, path);
    this.#level += 1;
    const projected = this.#ofRecord(given, path);
    this.#level -= 1;
    return projected;
  }

  #ofRecord(given: Record<string, unknown>, path: string): Projected {
    if (given.$ref !== undefined) return this.#reference(given, path);
    if (Array.isArray(given.allOf)) return this.#all(given, path);
    const union = given.anyOf ?? given.oneOf;
    if (Array.isArray(union) && union.length > 0) return this.#union(given, union, path);
    const choices = choicesOf(given);
    if (choices !== undefined)
      return this.#described(given, path, projectChoices(this, given, choices, path));
    return this.#typed(given, path);
  }

  /** Whether null is a value of its own for a part of the tool's schema. */
  takesNull(part: unknown): boolean {
    return this.#nulls.takes(part);
  }

  #typed(given: Record<string, unknown>, path: string): Projected {
    const { nullable } = this.dialect;
    const types = typesOf(given);
    const named = types.filter((type) => type !== "null");
    if (named.length === 0) return types.length === 0 ? this.#anything(given, path) : this.#null(given);
    if (named.length > 1) {
      const parts = types.map((type) => ({ ...given, description: undefined, type }));
      return this.#union({ description: given.description }, parts, path);
    }
    const [type] = named;
    const one = this.#described(given, path, this.#ofType(type, given, path));
    if (named.length === types.length) return one;
    return {
      back: one.back,
      schema: nullable === undefined ? withNull(one.schema) : { ...one.schema, [nullable]: true },
    };
  }

  #ofType(type: unknown, given: Record<string, unknown>, path: string): Projected {
    if (type === "object") return projectObject(this, given, path);
    if (type === "array") return this.#list(given, path);
    return { schema: { type }, back: undefined };
  }

  #null({ description }: Record<string, unknown>): Projected {
    const { nullable } = this.dialect;
    const schema = nullable === undefined ? { type: "null" } : { type: "string", [nullable]: true };
    return { schema: { ...schema, ...defined({ description }) }, back: undefined };
  }

  #list(given: Record<string, unknown>, path: string): Projected {
    const tuple = Array.isArray(given.prefixItems) ? given.prefixItems : undefined;
    if (tuple === undefined) {
      const { schema: items, back } = this.of(given.items ?? true, `${path}/items`);
      return { schema: { type: "array", items }, back: back && each(() => back) };
    }
    this.lose(`${path}/prefixItems`, "prefixItems", "every place takes what any of them takes");
    const parts = tuple.map((part, index) => this.of(part, `${path}/prefixItems/${index}`));
    const rest = given.items === false ? undefined : this.of(given.items ?? true, `${path}/items`);
    const all = rest === undefined || given.items === undefined ? parts : [...parts, rest];
    const distinct = [...new Map(all.map(({ schema }) => [JSON.stringify(schema), schema])).values()];
    const [only] = distinct;
    const items = distinct.length === 1 ? only : { anyOf: distinct };
    const backs = all.some(({ back }) => back !== undefined);
    return {
      schema: { type: "array", items, ...(given.items === false && { maxItems: tuple.length }) },
      back: backs ? each((index) => (parts[index] ?? rest)?.back) : undefined,
    };
  }

  /** Branches with what stands beside them: the same objects however often the union is written out. */
  #withRest(given: object, rest: unknown, branches: readonly unknown[]): readonly unknown[] {
    const whole = this.#whole.get(given) ?? branches.map((part) => ({ allOf: [rest, part] }));
    this.#whole.set(given, whole);
    return whole;
  }

  /** The first branch into which what the model said turns into something valid. */
  #union(given: Record<string, unknown>, branches: readonly unknown[], path: string): Projected {
    const { anyOf: _, oneOf: __, description, title: ___, ...rest } = given;
    const beside = Object.keys(rest).some((keyword) => !REMARKS.has(keyword));
    const whole = beside ? this.#withRest(given, rest, branches) : branches;
    const { nullable } = this.dialect;
    const isNull = (part: unknown) => isRecord(part) && (part.type === "null" || part.const === null);
    const told = nullable === undefined ? whole : whole.filter((part) => !isNull(part));
    const parts = told.map((part, index) => ({ part, ...this.of(part, `${path}/anyOf/${index}`) }));
    const [only] = parts;
    const more = {
      ...defined({ description }),
      ...(nullable !== undefined && told.length < whole.length && { [nullable]: true }),
    };
    if (only !== undefined && parts.length === 1)
      return { back: only.back, schema: { ...only.schema, ...more } };
    const schema = { anyOf: parts.map((each) => each.schema), ...more };
    if (parts.every(({ back }) => back === undefined)) return { schema, back: undefined };
    return { schema, back: this.firstFitting(parts) };
  }

  /**
   * Back into the one of several forms that what the model said is in: it fits what the vendor was told of that form, and turns
   * into something valid. Where forms cannot be told apart, the first.
   */
  firstFitting(forms: readonly (Projected & { part: unknown })[]): Back {
    const known = forms.map(({ part, schema, back }) => ({
      back: back ?? ((value: unknown) => value),
      own: this.references.standalone(part),
      // Made when it is needed: only then is everything known that it refers to.
      told: () => this.#standaloneTold(schema),
    }));
    const told = new Map<object, JsonSchema>();
    return (value) => {
      let found: { value: unknown } | undefined;
      for (const each of known) {
        this.work.spend();
        const candidate = each.back(value);
        if (!fits(each.own, candidate)) continue;
        const schema = told.get(each) ?? each.told();
        told.set(each, schema);
        if (fits(schema, value)) return candidate;
        found ??= { value: candidate };
      }
      return found === undefined ? value : found.value;
    };
  }

  #standaloneTold(schema: Record<string, unknown>): JsonSchema {
    const closed = asClosed(schema, this.dialect.nullable) as Record<string, unknown>;
    return Object.keys(this.defs).length === 0 ? closed : { ...closed, $defs: this.defs };
  }

  #all(given: Record<string, unknown>, path: string): Projected {
    const { allOf, ...rest } = given;
    const parts = (allOf as unknown[]).flatMap((part) => this.#flat(part));
    const lost = (keyword: string) =>
      this.lose(`${path}/allOf`, `a second ${keyword}`, "the first one is asked for");
    return this.of(merged([rest, ...parts], lost), path);
  }

  /** What all of several ask cannot be merged through a reference that leads back to itself. */
  #resolved(part: unknown, depth = 0): unknown {
    const name = isRecord(part) ? References.nameIn(part.$ref) : undefined;
    if (name === undefined || depth > 10) return part;
    const { $ref: _, ...rest } = part as Record<string, unknown>;
    const target = this.#resolved(this.references.get(name), depth + 1);
    return isRecord(target) ? merged([rest, target], () => {}) : rest;
  }

  /** A part with all that it asks beside it, each once. */
  #flat(part: unknown, depth = 0): Record<string, unknown>[] {
    this.#left -= 1;
    const resolved = this.#left < 0 ? undefined : this.#resolved(part);
    if (!isRecord(resolved)) return [];
    if (!Array.isArray(resolved.allOf) || depth > 10) return [resolved];
    const { allOf, ...rest } = resolved;
    const distinct = new Map(allOf.map((each) => [JSON.stringify(each), each]));
    return [rest, ...[...distinct.values()].flatMap((each) => this.#flat(each, depth + 1))];
  }

  #reference(given: Record<string, unknown>, path: string): Projected {
    const name = References.nameIn(given.$ref);
    if (name === undefined || this.references.get(name) === undefined) {
      this.lose(path, "$ref", "a reference that leads nowhere takes anything");
      return this.#anything({}, path);
    }
    const { $ref: _, ...beside } = given;
    if (Object.keys(beside).some((keyword) => !REMARKS.has(keyword)))
      return this.#all({ ...beside, allOf: [{ $ref: given.$ref }] }, path);
    return this.dialect.refs ? this.#entry(name) : this.#writtenOut(name, beside, path);
  }

  #entry(name: string): Projected {
    const schema = { $ref: `#/$defs/${name}` };
    if (this.#known.has(name) || Object.hasOwn(this.defs, name))
      return { schema, back: (value) => this.#entryBack(name, value) };
    this.defs[name] = true;
    const part = this.of(this.references.get(name), `/$defs/${name}`);
    this.defs[name] = part.schema;
    this.#known.set(name, part);
    return { schema, back: part.back };
  }

  #entryBack(name: string, value: unknown): unknown {
    const back = this.#known.get(name)?.back;
    return back === undefined ? value : back(value);
  }

  #writtenOut(name: string, beside: Record<string, unknown>, path: string): Projected {
    const times = this.#writing.filter((each) => each === name).length;
    if (times >= MAX_WRITTEN_OUT) {
      this.lose(path, "recursion", `from the ${MAX_WRITTEN_OUT + 1}th level on it is JSON text`);
      return this.#anything({}, path);
    }
    this.#writing.push(name);
    const part = this.of(this.references.get(name), path);
    this.#writing.pop();
    return { back: part.back, schema: { ...part.schema, ...described(beside.description) } };
  }

  /** A value of any kind, where a vendor has no word for that: as JSON text. */
  #anything(given: unknown, path: string): Projected {
    const description = isRecord(given) ? given.description : undefined;
    if (this.dialect.open) return { schema: { ...described(description) }, back: undefined };
    this.lose(path, "a value of any kind", "JSON text");
    const told = [description, "as JSON text"].filter((each) => each !== undefined).join(", ");
    return { schema: { type: "string", description: told }, back: fromText };
  }

  /** With the description, and what else a vendor takes; what it does not take is said in words. */
  #described(given: Record<string, unknown>, path: string, { schema, back }: Projected): Projected {
    const { keywords, formats } = this.dialect;
    const told: Record<string, unknown> = { ...schema };
    const inWords: string[] = [];
    for (const [keyword, value] of Object.entries(given)) {
      if (REMARKS.has(keyword) || READ.has(keyword) || value === undefined) continue;
      const isTaken =
        keywords.has(keyword) && (keyword !== "format" || (formats?.has(String(value)) ?? true));
      if (isTaken && !Object.hasOwn(told, keyword)) told[keyword] = value;
      if (isTaken) continue;
      this.lose(`${path}/${keyword}`, keyword, isWord(value) ? "said in words" : "not said");
      if (isWord(value)) inWords.push(`${keyword}: ${String(value)}`);
    }
    const { description = told.description } = given;
    const text = [description, ...(inWords.length === 0 ? [] : [`(${inWords.join(", ")})`])];
    const whole = text.filter((each) => typeof each === "string").join(" ");
    if (whole !== "") told.description = whole;
    return { schema: told, back };
  }
}

/** Undeclared types are those of the keywords that are there. */
function typesOf({
  type,
  properties,
  required,
  additionalProperties,
  items,
  prefixItems,
  nullable,
}: Record<string, unknown>) {
  const types = Array.isArray(type) ? [...type] : type === undefined ? [] : [type];
  if (types.length === 0) {
    if (properties !== undefined || required !== undefined || additionalProperties !== undefined)
      types.push("object");
    else if (items !== undefined || prefixItems !== undefined) types.push("array");
  }
  if (nullable === true && types.length > 0 && !types.includes("null")) types.push("null");
  return types;
}

function isWord(value: unknown): boolean {
  return typeof value !== "object" || value === null ? String(value).length <= 100 : false;
}

function each(backOf: (index: number) => Back | undefined): Back {
  return (value) =>
    Array.isArray(value)
      ? value.map((part: unknown, index) => {
          const back = backOf(index);
          return back === undefined ? part : back(part);
        })
      : value;
}

function fromText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
