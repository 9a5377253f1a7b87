type Json = Readonly<Record<string, unknown>>;

/** For keywords that both schemas have: the one that says more. */
const TIGHTER: Readonly<Record<string, (one: number, other: number) => number>> = {
  minimum: Math.max,
  exclusiveMinimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  minProperties: Math.max,
  maximum: Math.min,
  exclusiveMaximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
  maxProperties: Math.min,
};

/**
 * One schema for what all of several ask. Where two ask for something that one cannot say, the first stands and `lost` is told
 * of the other: the answer is then wider than what was asked.
 */
export function merged(schemas: readonly Json[], lost: (keyword: string) => void): Json {
  const all: Record<string, unknown> = {};
  for (const schema of schemas)
    for (const [keyword, value] of Object.entries(schema))
      all[keyword] = Object.hasOwn(all, keyword) ? both(keyword, all[keyword], value, lost) : value;
  return all;
}

function both(keyword: string, one: unknown, other: unknown, lost: (keyword: string) => void): unknown {
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  if (keyword === "required") return [...new Set([...listOf(one), ...listOf(other)])];
  if (keyword === "properties" && isJson(one) && isJson(other)) return mergedProperties(one, other);
  if (keyword === "description" || keyword === "title") return one;
  const types = keyword === "type" ? commonTypes(one, other) : undefined;
  if (types !== undefined) return types;
  if (keyword === "enum") return listOf(one).filter((each) => listOf(other).includes(each));
  if (keyword === "additionalProperties" && (one === false || other === false)) return false;
  const tighter = TIGHTER[keyword];
  if (tighter !== undefined && typeof one === "number" && typeof other === "number")
    return tighter(one, other);
  lost(keyword);
  return one;
}

function mergedProperties(one: Json, other: Json): Json {
  const properties: Record<string, unknown> = { ...one };
  for (const [name, schema] of Object.entries(other))
    properties[name] = Object.hasOwn(one, name) ? { allOf: [one[name], schema] } : schema;
  return properties;
}

function commonTypes(one: unknown, other: unknown): unknown {
  const common = [...typesOf(one), ...typesOf(other)].filter(
    (type, index, all) => all.indexOf(type) === index && takes(one, type) && takes(other, type),
  );
  return common.length === 0 ? undefined : common.length === 1 ? common[0] : common;
}

/** A whole number is a number, too. */
function takes(types: unknown, type: unknown): boolean {
  return typesOf(types).includes(type) || (type === "integer" && typesOf(types).includes("number"));
}

function typesOf(type: unknown): unknown[] {
  return Array.isArray(type) ? type : [type];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
