import { Ajv2020 } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compile } from "./compile.ts";
import { Evaluation } from "./evaluate.ts";
import type { JsonSchema } from "./json-schema.ts";
import { normalise } from "./normalise.ts";
import { validatorFor } from "./validate.ts";
import { vet } from "./vet.ts";

/** Few names and small numbers, so that schemas and values meet often. */
const name = fc.constantFrom("a", "b", "c");
const scalar = fc.oneof(
  fc.constantFrom("", "a", "b", "abc", "2024-01-01", "x@y.org"),
  fc.integer({ min: -2, max: 4 }),
  fc.constantFrom(0.5, 1.5),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
const count = fc.integer({ min: 0, max: 3 });
function keyword(key: string, values: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  return values.map((inner) => ({ [key]: inner }));
}

/** Without `contains` beside `prefixItems`, which Ajv ignores for an empty array. */
function merged(parts: readonly Record<string, unknown>[]): unknown {
  const all: Record<string, unknown> = Object.assign({}, ...parts);
  if (all.prefixItems !== undefined) delete all.contains;
  return all;
}

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const sub = tie("schema");
  const list = fc.array(sub, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(name, sub, { maxKeys: 3, noNullPrototype: true });
  const keywords = fc.oneof(
    keyword("type", fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))),
    keyword("enum", fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 })),
    keyword("minimum", count),
    keyword("exclusiveMaximum", count),
    keyword("multipleOf", fc.constantFrom(1, 0.5, 2)),
    keyword("minLength", count),
    keyword("maxLength", count),
    keyword("pattern", fc.constantFrom("^a", "b+$", "^(a|b)*$")),
    keyword("format", fc.constantFrom("date", "email", "made-up")),
    keyword("minItems", count),
    keyword("maxItems", count),
    keyword("uniqueItems", fc.boolean()),
    keyword("items", sub),
    keyword("prefixItems", list),
    keyword("contains", sub),
    keyword("properties", map),
    keyword("patternProperties", fc.dictionary(fc.constantFrom("^a", "b"), sub, { maxKeys: 2 })),
    keyword("additionalProperties", sub),
    keyword("propertyNames", fc.record({ pattern: fc.constantFrom("^[ab]$", "c") })),
    keyword("required", fc.uniqueArray(fc.constantFrom("a", "b"), { maxLength: 2 })),
    keyword("minProperties", count),
    keyword(
      "dependentRequired",
      fc.dictionary(fc.constantFrom("a", "b"), fc.constant(["c"]), { maxKeys: 1 }),
    ),
    keyword("dependentSchemas", fc.dictionary(fc.constantFrom("a", "b"), sub, { maxKeys: 1 })),
    keyword("allOf", list),
    keyword("anyOf", list),
    keyword("oneOf", list),
    keyword("not", sub),
    keyword("if", sub),
    keyword("then", sub),
    keyword("else", sub),
    keyword("$ref", fc.constantFrom("#/$defs/one", "#/$defs/two")),
  );
  return {
    schema: fc.oneof(
      { depthSize: "small" },
      fc.boolean(),
      keyword("type", type),
      fc.array(keywords, { minLength: 1, maxLength: 3 }).map(merged),
    ),
  };
});

const document = fc.tuple(schema, schema, schema).map(
  ([root, one, two]): JsonSchema => ({
    allOf: [root],
    // Definitions without references of their own: a cycle is refused, which other tests show.
    $defs: { one: withoutRefs(one), two: withoutRefs(two) },
  }),
);

function withoutRefs(part: unknown): unknown {
  return JSON.parse(JSON.stringify(part), (key, inner: unknown) => (key === "$ref" ? undefined : inner));
}

function reference(raw: JsonSchema): (candidate: unknown) => boolean {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    logger: false,
    formats: fullFormats,
    multipleOfPrecision: 6,
  });
  return ajv.compile(raw as object);
}

test("evaluated, compiled and plain Ajv give the same answer", () => {
  fc.assert(
    fc.property(document, fc.array(value, { minLength: 4, maxLength: 8 }), (raw, values) => {
      const normal = normalise(raw, true);
      const compiled = vet(normal) === "compiled" ? compile(normal) : undefined;
      const expected = reference(raw);
      const validator = validatorFor(raw);
      for (const each of values) {
        const answer = expected(each);
        expect(new Evaluation(normal).isValid(normal.root, each), "evaluated").toBe(answer);
        if (compiled !== undefined) expect(compiled(each), "compiled").toBe(answer);
        expect(validator.check(each), "validator").toBe(answer);
        expect(validator.issues(each).length === 0, "issues").toBe(answer);
      }
    }),
    { numRuns: 300 },
  );
});
