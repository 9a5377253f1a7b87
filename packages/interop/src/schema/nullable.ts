const SCALARS: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/** The same schema, with null beside what it takes. */
export function withNull(schema: Record<string, unknown>): Record<string, unknown> {
  const { description, ...rest } = schema;
  if (SCALARS.has(schema.type)) {
    const choices = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
    return { ...schema, type: [schema.type, "null"], ...choices };
  }
  const branches = Array.isArray(rest.anyOf) ? rest.anyOf : [rest];
  return { anyOf: [...branches, { type: "null" }], ...described(description) };
}

export function described(description: unknown): Record<string, unknown> {
  return typeof description === "string" ? { description } : {};
}

/** What a vendor was told, in the words of JSON Schema, and without room for properties that it was not told of. */
export function asClosed(schema: unknown, nullable: string | undefined): unknown {
  if (Array.isArray(schema)) return schema.map((each) => asClosed(each, nullable));
  if (typeof schema !== "object" || schema === null) return schema;
  const closed: Record<string, unknown> = {};
  for (const [keyword, part] of Object.entries(schema)) {
    if (keyword === nullable) continue;
    if (keyword === "properties") {
      closed.properties = Object.fromEntries(
        Object.entries(part as object).map(([name, each]) => [name, asClosed(each, nullable)]),
      );
      closed.additionalProperties = false;
    } else closed[keyword] = keyword === "enum" || keyword === "required" ? part : asClosed(part, nullable);
  }
  const isNullable = nullable !== undefined && (schema as Record<string, unknown>)[nullable] === true;
  return isNullable ? { anyOf: [closed, { type: "null" }] } : closed;
}
