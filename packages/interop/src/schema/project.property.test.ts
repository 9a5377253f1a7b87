import type { JsonSchema, ToolDefinition } from "@toolrig/core";
import { validatorFor } from "@toolrig/core/kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { projectAnthropic, projectGemini, projectOpenAI } from "./project.ts";

/** A schema, a value that is valid by it, and how a model says that value under each vendor's schema. */
interface Example {
  schema: JsonSchema;
  value: unknown;
  strict: unknown;
  gemini: unknown;
}

const same = (schema: JsonSchema, value: unknown): Example => ({
  schema,
  value,
  strict: value,
  gemini: value,
});

/** Names that a vendor would refuse are among them. */
const key = fc.oneof(
  fc.stringMatching(/^[a-z]{1,6}$/),
  fc.constantFrom("a b", "über", "$set", "1st", "__proto__", "x.y", "constructor"),
);
const geminiKey = (name: string) =>
  /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)
    ? name
    : name.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(?=[0-9])/, "_");

const text = fc.string({ maxLength: 8 }).map((value) => same({ type: "string" }, value));
const scalars: fc.Arbitrary<Example> = fc.oneof(
  text,
  fc.integer().map((value) => same({ type: "integer" }, value)),
  fc.boolean().map((value) => same({ type: "boolean" }, value)),
  fc.constant(same({ type: "string", format: "uri", minLength: 2 }, "https://toolrig.example")),
  fc.constant(same({ type: "string", format: "date-time" }, "2026-01-01T00:00:00Z")),
  fc.option(fc.integer(), { nil: null }).map((value) => same({ type: ["integer", "null"] }, value)),
  fc.constantFrom("one", "two").map((value) => same({ enum: ["one", "two"] }, value)),
  fc.constantFrom(1, 2).map((value) => ({ ...same({ enum: [1, 2] }, value), gemini: String(value) })),
  fc.constant({ ...same({ const: 7 }, 7), gemini: "7" }),
  fc
    .jsonValue({ maxDepth: 2 })
    .map((value) => ({ schema: {}, value, strict: JSON.stringify(value), gemini: JSON.stringify(value) })),
);

const listOf = (inner: fc.Arbitrary<Example>): fc.Arbitrary<Example> =>
  fc.tuple(inner, fc.integer({ min: 0, max: 3 })).map(([item, count]) => {
    const many = (value: unknown) => Array.from({ length: count }, () => value);
    return {
      schema: { type: "array", items: item.schema },
      value: many(item.value),
      strict: many(item.strict),
      gemini: many(item.gemini),
    };
  });

const tupleOf = (inner: fc.Arbitrary<Example>): fc.Arbitrary<Example> =>
  fc.tuple(inner, inner).map((parts) => ({
    schema: { type: "array", prefixItems: parts.map(({ schema }) => schema), items: false, minItems: 2 },
    value: parts.map(({ value }) => value),
    strict: parts.map(({ strict }) => strict),
    gemini: parts.map(({ gemini }) => gemini),
  }));

const mapOf = (inner: fc.Arbitrary<Example>): fc.Arbitrary<Example> =>
  fc.tuple(inner, fc.uniqueArray(key, { maxLength: 3 })).map(([item, keys]) => {
    const entries = (value: unknown) => keys.map((name) => ({ key: name, value }));
    return {
      schema: { type: "object", additionalProperties: item.schema },
      value: Object.fromEntries(keys.map((name) => [name, item.value])),
      strict: entries(item.strict),
      gemini: entries(item.gemini),
    };
  });

/** Whether null is a value by a schema: then it cannot say that there is none. */
const takesNull = (schema: JsonSchema) => validatorFor(schema).check(null);

const objectOf = (inner: fc.Arbitrary<Example>): fc.Arbitrary<Example> =>
  fc
    .uniqueArray(fc.record({ name: key, item: inner, isRequired: fc.boolean(), isThere: fc.boolean() }), {
      selector: ({ name }) => geminiKey(name),
      minLength: 1,
      maxLength: 4,
    })
    .map((properties) => {
      const there = properties.filter(
        ({ isRequired, isThere, item }) => isRequired || isThere || takesNull(item.schema),
      );
      const isThere = new Set(there);
      return {
        schema: {
          type: "object",
          properties: Object.fromEntries(properties.map(({ name, item }) => [name, item.schema])),
          required: properties.filter(({ isRequired }) => isRequired).map(({ name }) => name),
        },
        value: Object.fromEntries(there.map(({ name, item }) => [name, item.value])),
        strict: Object.fromEntries(
          properties.map((each) => [each.name, isThere.has(each) ? each.item.strict : null]),
        ),
        gemini: Object.fromEntries(there.map(({ name, item }) => [geminiKey(name), item.gemini])),
      };
    });

/** The kinds differ by a tag, as those of a well-made union do. */
const unionOf = (inner: fc.Arbitrary<Example>): fc.Arbitrary<Example> =>
  fc
    .tuple(inner, inner, fc.constantFrom("anyOf", "oneOf"), fc.boolean())
    .map(([one, other, keyword, first]) => {
      const kind = (tag: string, { schema }: Example) => ({
        type: "object",
        properties: { kind: { const: tag }, it: schema, note: { type: "string" } },
        required: ["kind", "it"],
      });
      const [tag, chosen] = first ? ["one", one] : ["other", other];
      return {
        schema: { [keyword as string]: [kind("one", one), kind("other", other)] },
        value: { kind: tag, it: chosen.value },
        strict: { kind: tag, it: chosen.strict, note: null },
        gemini: { kind: tag, it: chosen.gemini },
      };
    });

const { example } = fc.letrec<{ example: Example }>((tie) => ({
  example: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalars,
    listOf(tie("example")),
    tupleOf(tie("example")),
    mapOf(tie("example")),
    objectOf(tie("example")),
    unionOf(tie("example")),
  ),
}));

const argumentsOf = fc.oneof(objectOf(example), unionOf(example));
const tool = (inputSchema: JsonSchema): ToolDefinition => ({ name: "t", description: "t", inputSchema });
/** What JSON can hold, so that minus zero is no other number. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
const issues = (schema: JsonSchema, value: unknown) => validatorFor(schema).issues(plain(value));

/** Gemini's words in those of JSON Schema. */
function asJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asJsonSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const { nullable, ...rest } = schema as Record<string, unknown>;
  const told = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, asJsonSchema(part)]));
  return nullable === true ? { anyOf: [told, { type: "null" }] } : told;
}

test("what a model says under OpenAI's strict schema comes back as the tool's own arguments", () => {
  fc.assert(
    fc.property(argumentsOf, ({ schema, value, strict }) => {
      expect(issues(schema, value)).toEqual([]);
      const told = projectOpenAI(tool(schema), { strict: true });
      if (!told.strict) return;
      checkStrict(told.schema);
      // A union at the top is one object there, and what other kinds have is null.
      const given = { ...nullsFor(told.schema), ...(strict as object) };
      expect(issues(told.schema, given)).toEqual([]);
      expect(plain(told.back(plain(given)))).toEqual(plain(value));
    }),
    { numRuns: 60 },
  );
});

test("and under Gemini's", () => {
  fc.assert(
    fc.property(argumentsOf, ({ schema, value, gemini }) => {
      const told = projectGemini(tool(schema));
      checkGemini(told.schema);
      expect(issues(asJsonSchema(told.schema) as JsonSchema, gemini)).toEqual([]);
      expect(plain(told.back(plain(gemini)))).toEqual(plain(value));
    }),
    { numRuns: 60 },
  );
});

test("and under Anthropic's", () => {
  fc.assert(
    fc.property(argumentsOf, ({ schema, value }) => {
      const { schema: told, back } = projectAnthropic(tool(schema));
      expect(told.type).toBe("object");
      const names = Object.keys((told.properties as object | undefined) ?? {});
      for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
      const own = Object.keys((schema.properties as object | undefined) ?? {});
      const renamed = new Map(own.map((name, index) => [name, names[index] ?? name]));
      const given = Object.entries(value as object).map(([name, part]) => [renamed.get(name) ?? name, part]);
      expect(plain(back(Object.fromEntries(given)))).toEqual(plain(value));
    }),
    { numRuns: 60 },
  );
});

function nullsFor({ properties = {} }: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(Object.keys(properties as object).map((name) => [name, null]));
}

const STRICT = new Set(
  "type properties required additionalProperties items anyOf enum const $ref $defs description title multipleOf minimum maximum exclusiveMinimum exclusiveMaximum pattern format minItems maxItems".split(
    " ",
  ),
);
const GEMINI = new Set(
  "type properties required items anyOf enum description title nullable minimum maximum pattern format minItems maxItems minLength maxLength minProperties maxProperties".split(
    " ",
  ),
);

/** The rules that OpenAI refuses a strict schema by. */
function checkStrict(schema: unknown): void {
  everySchema(schema, STRICT, (part) => {
    if (part.type !== "object") return;
    expect(part.additionalProperties).toBe(false);
    expect(part.required).toEqual(Object.keys(part.properties as object));
  });
}

function checkGemini(schema: unknown): void {
  everySchema(schema, GEMINI, (part) => {
    if (part.anyOf === undefined) expect(typeof part.type).toBe("string");
    for (const choice of (part.enum as unknown[] | undefined) ?? [])
      expect(typeof choice === "string" && choice !== "").toBe(true);
  });
}

function everySchema(
  schema: unknown,
  keywords: Set<string>,
  rule: (part: Record<string, unknown>) => void,
): void {
  const part = schema as Record<string, unknown>;
  for (const keyword of Object.keys(part)) expect(keywords).toContain(keyword);
  rule(part);
  const named = [part.properties, part.$defs].flatMap((each) =>
    Object.values((each as object | undefined) ?? {}),
  );
  const listed = [part.items, ...((part.anyOf as unknown[] | undefined) ?? [])].filter(
    (each) => each !== undefined,
  );
  for (const each of [...named, ...listed]) everySchema(each, keywords, rule);
}
