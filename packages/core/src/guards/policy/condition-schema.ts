import { ToolrigError } from "../../failure/failure.ts";
import { isRecord } from "../../is-record.ts";
import { nearestNames } from "../../nearest.ts";
import { formats } from "../../schema/formats.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { matcherFor } from "../../schema/pattern.ts";
import { validatorFor } from "../../schema/validate.ts";
import { OTHER, type Side } from "./sided-schema.ts";

const ANNOTATIONS =
  "$schema $id $anchor $dynamicAnchor $comment title description default examples deprecated readOnly writeOnly";
const VALUES =
  "$ref $dynamicRef type enum const required dependentRequired minProperties maxProperties minItems maxItems uniqueItems " +
  "minContains maxContains minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf";
const SCHEMAS =
  "items contains additionalProperties propertyNames unevaluatedProperties unevaluatedItems not if then else " +
  "allOf anyOf oneOf prefixItems";
const NAMED_SCHEMAS = "properties patternProperties dependentSchemas $defs definitions";

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const annotations = setOf(ANNOTATIONS);
const schemas = setOf(SCHEMAS);
const namedSchemas = setOf(NAMED_SCHEMAS);
const known = setOf(`${ANNOTATIONS} ${VALUES} ${SCHEMAS} ${NAMED_SCHEMAS}`);

/** Where a schema that says nothing decides everything. */
const DECISIVE = setOf("allOf anyOf oneOf not if");
/** Where the schemas apply to every part there is, so that one that says nothing adds nothing. */
const EVERY_PART = setOf("items additionalProperties propertyNames unevaluatedProperties unevaluatedItems");
/** Where a prohibition, unlike a permission, does not ask that the parts be there. */
const PARTS_IF_THERE = setOf("properties patternProperties dependentSchemas prefixItems");
/** Where a schema applies to the same value as the one that it stands in. */
const IN_PLACE = setOf("allOf anyOf oneOf not if then else");
/** Keywords that mean nothing without another. */
const NEEDS: readonly [keyword: string, ...needed: string[]][] = [
  ["then", "if"],
  ["else", "if"],
  ["if", "then", "else"],
  ["minContains", "contains"],
  ["maxContains", "contains"],
];

type Rule = readonly [expected: string, isGood: (value: unknown) => boolean];

const A_NUMBER: Rule = ["a number", (value) => Number.isFinite(value)];
const NAMES: Rule = ["a list of property names", isNames];
/** What JSON Schema would ignore, or an older draft took to mean something else. The rest is checked when it is read. */
const RULES: Readonly<Record<string, Rule>> = {
  minimum: A_NUMBER,
  maximum: A_NUMBER,
  exclusiveMinimum: A_NUMBER,
  exclusiveMaximum: A_NUMBER,
  multipleOf: A_NUMBER,
  uniqueItems: ["true or false", (value) => typeof value === "boolean"],
  required: NAMES,
  dependentRequired: [
    "an object of lists of property names",
    (value) => isRecord(value) && Object.values(value).every(isNames),
  ],
};

/** How a schema is read. */
interface Reading {
  side: Side;
  /** Whether it applies to the arguments themselves, which are always an object. */
  whole: boolean;
}

interface Place extends Reading {
  schema: unknown;
  /** A JSON Pointer. */
  at: string;
  /** The keyword that it stands under. */
  under: string;
}

/**
 * Throws `SCHEMA_INVALID` for a schema that cannot be a condition on arguments, as one side reads it. JSON Schema ignores what it does not know
 * and what has no meaning, so a mistake would match everything: here it is refused. So is a pattern that could take for
 * ever, because the text comes from a model.
 */
export function checkCondition(schema: JsonSchema, side: Side): void {
  const seen = new Set<unknown>();
  // Told last: a keyword that cannot be used may be why nothing is said.
  let silent: string | undefined;
  const waiting: Place[] = [{ schema, at: "", under: "allOf", side, whole: true }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schema: current, at, under } = next;
    if (isRecord(current) && !seen.has(current)) {
      seen.add(current);
      checkKeywords(current, at);
      for (const part of partsOf(current, at)) waiting.push({ ...part, ...readingOf(part.under, next) });
    }
    if (DECISIVE.has(under) && saysNothing(current, next)) silent ??= at || "the condition";
  }
  if (silent !== undefined) throw refused(silent, "says nothing, so it would match everything");
  for (const source of validatorFor(schema).normal.patterns.keys()) checkPattern(source);
}

/** What stands under `not` is read by the other side; an \`if\` by both, of which a permission finds more in it. */
function readingOf(under: string, { side, whole }: Reading): Reading {
  const read = { not: OTHER[side], if: "permission" as const }[under] ?? side;
  return { side: read, whole: whole && IN_PLACE.has(under) };
}

function checkKeywords(schema: Record<string, unknown>, place: string): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${place}/${keyword}`;
    if (!known.has(keyword))
      throw refused(at, "is no keyword of JSON Schema that is checked; misspelt, it would match everything");
    if (value === undefined) throw refused(at, "has no value, so it would match everything");
    const [expected, isGood] = RULES[keyword] ?? [];
    if (isGood?.(value) === false) throw refused(at, `must be ${expected}, not ${shown(value)}`);
    if (keyword === "format") checkFormat(value, at);
  }
  for (const [keyword, ...needed] of NEEDS) {
    if (schema[keyword] === undefined || needed.some((each) => schema[each] !== undefined)) continue;
    throw refused(`${place}/${keyword}`, `means nothing without ${needed.join(" or ")}`);
  }
}

function checkFormat(value: unknown, at: string): void {
  const names = Object.entries(formats).flatMap(([name, format]) => (format === true ? [] : [name]));
  if (typeof value === "string" && names.includes(value)) return;
  const [meant] = nearestNames(String(value), names, 1);
  const hint = meant === undefined ? `There is: ${names.join(", ")}` : `Did you mean "${meant}"?`;
  throw refused(at, `is ${shown(value)}, which is no format that is checked. ${hint}`);
}

/** Look-around and back-references run only on an engine that may try every way there is. */
function checkPattern(source: string): void {
  try {
    matcherFor(source, false, "");
  } catch (cause) {
    const problem =
      `the pattern ${shown(source)} cannot be run in linear time (look-around, back-reference or a repeat beyond ` +
      "1000), and the text it is held against comes from a model. Write what must not be there as { not: { pattern } }.";
    throw new ToolrigError("SCHEMA_INVALID", problem, { cause });
  }
}

function* partsOf(schema: Record<string, unknown>, place: string): Generator<Omit<Place, keyof Reading>> {
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${place}/${keyword}`;
    if (schemas.has(keyword)) {
      if (!Array.isArray(value)) yield { schema: value, at, under: keyword };
      else
        for (const [index, each] of value.entries())
          yield { schema: each, at: `${at}/${index}`, under: keyword };
    } else if (namedSchemas.has(keyword) && isRecord(value)) {
      for (const [name, each] of Object.entries(value))
        yield { schema: each, at: `${at}/${name}`, under: keyword };
    }
  }
}

/** Whether a schema holds for every value whatever, because nothing in it asks for anything. */
function saysNothing(schema: unknown, reading: Reading): boolean {
  if (!isRecord(schema)) return schema === true;
  return Object.entries(schema).every(([keyword, value]) => asksNothing(keyword, value, schema, reading));
}

function asksNothing(
  keyword: string,
  value: unknown,
  { minContains, maxContains, ...beside }: JsonSchema,
  reading: Reading,
): boolean {
  const partSaysNothing = (part: unknown) => saysNothing(part, { ...reading, whole: false });
  if (annotations.has(keyword) || keyword === "$defs" || keyword === "definitions") return true;
  if (keyword === "type") return reading.whole && (Array.isArray(value) ? value : [value]).includes("object");
  if (EVERY_PART.has(keyword)) return partSaysNothing(value);
  if (PARTS_IF_THERE.has(keyword) && reading.side === "prohibition" && isContainer(value))
    return Object.values(value).every(partSaysNothing);
  if (keyword === "if")
    return [beside.then ?? true, beside.else ?? true].every((part) => saysNothing(part, reading));
  if (keyword === "then" || keyword === "else" || keyword === "minContains" || keyword === "maxContains")
    return true;
  if (keyword === "contains") return minContains === 0 && maxContains === undefined;
  if (keyword === "not") return value === false;
  if (keyword === "const") return false;
  if (typeof value === "number") return value === 0 && keyword.startsWith("min") && keyword !== "minimum";
  if (keyword === "uniqueItems") return value === false;
  return isContainer(value) && Object.keys(value).length === 0;
}

function isContainer(value: unknown): value is object {
  return Array.isArray(value) || isRecord(value);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function refused(at: string, problem: string): ToolrigError {
  return new ToolrigError("SCHEMA_INVALID", `${at} ${problem}${problem.endsWith("?") ? "" : "."}`);
}
