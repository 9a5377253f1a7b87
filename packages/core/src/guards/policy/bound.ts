import type { JsonSchema } from "../../schema/json-schema.ts";
import { type Validator, validatorFor } from "../../schema/validate.ts";
import { checkCondition } from "./condition-schema.ts";
import { readCondition, type Side } from "./sided-schema.ts";
import { UNREADABLE } from "./written-out.ts";

const permissions = new WeakMap<JsonSchema, readonly Validator[]>();
const prohibitions = new WeakMap<JsonSchema, readonly Validator[]>();

/**
 * Whether arguments are known to be within the bound of a permission. What the schema says of a value holds only where
 * the value is there and of a type that it speaks of: leaving one out, or writing it otherwise, is no way around it.
 * A schema that cannot be used permits nothing.
 */
export function permits(schema: JsonSchema, args: unknown): boolean {
  if (args === UNREADABLE) return false;
  try {
    return validatorsOf(schema, "permission", permissions).every((validator) => validator.check(args));
  } catch {
    return false;
  }
}

/** Whether arguments may be what a prohibition, or a question, is about: also where nobody can say. */
export function mayConcern(schema: JsonSchema, args: unknown): boolean {
  if (args === UNREADABLE) return true;
  try {
    const validators = validatorsOf(schema, "prohibition", prohibitions);
    return validators.some((validator) => validator.decide(args) !== false);
  } catch {
    return true;
  }
}

function validatorsOf(
  schema: JsonSchema,
  side: Side,
  known: WeakMap<JsonSchema, readonly Validator[]>,
): readonly Validator[] {
  let validators = known.get(schema);
  if (validators === undefined) {
    checkCondition(schema);
    const original = validatorFor(schema);
    const { sided, isCertain } = readCondition(original.normal, side);
    if (sided === undefined) validators = [original];
    else validators = isCertain ? [validatorFor(sided)] : [original, validatorFor(sided)];
    known.set(schema, validators);
  }
  return validators;
}
