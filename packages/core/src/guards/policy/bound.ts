import type { JsonSchema } from "../../schema/json-schema.ts";
import { validatorFor } from "../../schema/validate.ts";

const permissions = new WeakMap<JsonSchema, JsonSchema>();

/**
 * A schema as the bound of a permission: what it says of a property holds only where the property is there, so those it
 * names are required unless it lists `required` itself. Otherwise leaving one out would be a way around the bound.
 */
function permission(schema: JsonSchema): JsonSchema {
  let bound = permissions.get(schema);
  if (bound === undefined) {
    const { properties, required } = schema;
    const named = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
    bound = required === undefined && named.length > 0 ? { ...schema, required: named } : schema;
    permissions.set(schema, bound);
  }
  return bound;
}

/** Whether arguments are within the bound. A schema that cannot be used permits nothing. */
export function permits(schema: JsonSchema, args: unknown): boolean {
  try {
    return validatorFor(permission(schema)).check(args);
  } catch {
    return false;
  }
}
