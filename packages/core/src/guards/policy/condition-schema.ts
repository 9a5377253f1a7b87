import { ToolrigError } from "../../failure/failure.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { validatorFor } from "../../schema/validate.ts";

const VALUES =
  "$schema $id $ref $anchor $dynamicRef $dynamicAnchor $comment title description default examples deprecated readOnly " +
  "writeOnly type enum const required dependentRequired minProperties maxProperties minItems maxItems uniqueItems " +
  "minContains maxContains minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum " +
  "multipleOf contentEncoding contentMediaType";
const SCHEMAS =
  "items contains additionalProperties propertyNames unevaluatedProperties unevaluatedItems not if then else " +
  "contentSchema allOf anyOf oneOf prefixItems";
const NAMED_SCHEMAS = "properties patternProperties dependentSchemas $defs definitions";

const values = new Set(VALUES.split(" "));
const schemas = new Set(SCHEMAS.split(" "));
const namedSchemas = new Set(NAMED_SCHEMAS.split(" "));

/**
 * Throws `SCHEMA_INVALID` for a schema that cannot be a condition on arguments. JSON Schema ignores a keyword that it does
 * not know, so a misspelt one would match everything: here it is refused.
 */
export function checkCondition(schema: JsonSchema): void {
  const waiting: { schema: unknown; path: string }[] = [{ schema, path: "" }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schema: current, path } = next;
    if (typeof current !== "object" || current === null) continue;
    for (const [keyword, value] of Object.entries(current)) {
      const at = `${path}/${keyword}`;
      if (schemas.has(keyword))
        waiting.push(...(Array.isArray(value) ? value : [value]).map((each) => ({ schema: each, path: at })));
      else if (namedSchemas.has(keyword))
        waiting.push(
          ...Object.entries(value ?? {}).map(([name, each]) => ({ schema: each, path: `${at}/${name}` })),
        );
      else if (!values.has(keyword))
        throw new ToolrigError(
          "SCHEMA_INVALID",
          `${at} is no keyword of JSON Schema; misspelt, it would match everything.`,
        );
    }
  }
  validatorFor(schema);
}
