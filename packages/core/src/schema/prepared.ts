import { compile } from "./compile.ts";
import { Evaluation } from "./evaluate.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { NormalSchema } from "./normal.ts";
import { normalise } from "./normalise.ts";
import { vet } from "./vet.ts";

/** A schema that was read and vetted once. `check` answers for any value, never throws, and compiles on first use. */
export interface Prepared {
  readonly normal: NormalSchema;
  check(value: unknown): boolean;
}

const trustedSchemas = new WeakMap<JsonSchema, Prepared>();
const untrustedSchemas = new WeakMap<JsonSchema, Prepared>();

/** Throws `SCHEMA_INVALID` for a schema that cannot be used. Remembered for as long as the schema object lives. */
export function prepare(schema: JsonSchema, trusted: boolean): Prepared {
  const cache = trusted ? trustedSchemas : untrustedSchemas;
  let prepared = cache.get(schema);
  if (prepared === undefined) {
    const normal = normalise(schema, trusted);
    prepared = { normal, check: lazily(normal, vet(normal)) };
    cache.set(schema, prepared);
  }
  return prepared;
}

/**
 * Compiled code is not trusted to cope with everything: where it overflows the stack, the value is evaluated within
 * limits instead. A value beyond those limits, or one that throws when it is read, is not valid.
 */
function lazily(normal: NormalSchema, how: "compiled" | "evaluated"): (value: unknown) => boolean {
  const evaluate = (value: unknown) => new Evaluation(normal).isValid(normal.root, value);
  let check = how === "compiled" ? undefined : evaluate;
  return (value) => {
    try {
      check ??= compile(normal) ?? evaluate;
      return check(value);
    } catch {
      return attempt(evaluate, value);
    }
  };
}

function attempt(check: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return check(value);
  } catch {
    return false;
  }
}
