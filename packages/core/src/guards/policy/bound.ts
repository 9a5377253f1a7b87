import type { JsonSchema } from "../../schema/json-schema.ts";
import { type Validator, validatorFor } from "../../schema/validate.ts";
import { checkCondition } from "./condition-schema.ts";
import { readCondition, type Side } from "./sided-schema.ts";
import { UNREADABLE } from "./written-out.ts";

type Test = (args: unknown) => boolean;

const permissions = new WeakMap<JsonSchema, Test>();
const prohibitions = new WeakMap<JsonSchema, Test>();

/**
 * Whether arguments are known to be within the bound of a permission. What the schema says of a value holds only where
 * the value is there and of a type that it speaks of: leaving one out, or writing it otherwise, is no way around it.
 * A schema that cannot be used permits nothing.
 */
export function permits(schema: JsonSchema, args: unknown): boolean {
  if (args === UNREADABLE) return false;
  return (permissions.get(schema) ?? remember(permissions, schema, permission(schema)))(args);
}

/** Whether arguments may be what a prohibition, or a question, is about: also where nobody can say. */
export function mayConcern(schema: JsonSchema, args: unknown): boolean {
  if (args === UNREADABLE) return true;
  return (prohibitions.get(schema) ?? remember(prohibitions, schema, prohibition(schema)))(args);
}

function remember(tests: WeakMap<JsonSchema, Test>, schema: JsonSchema, test: Test): Test {
  tests.set(schema, test);
  return test;
}

function permission(schema: JsonSchema): Test {
  const [first, second] = validatorsOf(schema, "permission");
  if (first === undefined) return () => false;
  return second === undefined ? first.check : (args) => first.check(args) && second.check(args);
}

function prohibition(schema: JsonSchema): Test {
  const [first, second] = validatorsOf(schema, "prohibition");
  if (first === undefined) return () => true;
  if (second === undefined) return (args) => first.decide(args) !== false;
  return (args) => first.decide(args) !== false || second.decide(args) !== false;
}

/** All of them hold for what a permission permits, one of them for what a prohibition concerns. None: it cannot be used. */
function validatorsOf(schema: JsonSchema, side: Side): readonly Validator[] {
  try {
    checkCondition(schema, side);
    const original = validatorFor(schema);
    const { sided, isCertain } = readCondition(original.normal, side);
    if (sided === undefined) return [original];
    return isCertain ? [validatorFor(sided)] : [original, validatorFor(sided)];
  } catch {
    return [];
  }
}
