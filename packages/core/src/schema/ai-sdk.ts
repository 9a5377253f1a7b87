import { isRecord } from "../is-record.ts";
import type { StandardResult } from "./standard.ts";

/**
 * What `jsonSchema()`, `zodSchema()` and friends of the AI SDK return, and the function form that `lazySchema()`
 * returns. Recognised by the SDK's global symbol, so that any installed version of it works.
 */
export interface AiSdkSchema<Output = unknown> {
  readonly _type: Output;
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => AiSdkValidation | PromiseLike<AiSdkValidation>) | undefined;
}

type AiSdkValidation = { success: true; value: unknown } | { success: false; error: Error };

const MARK = Symbol.for("vercel.ai.schema");

export function isAiSdkSchema(value: unknown): value is AiSdkSchema {
  return isRecord(value) && (value as Record<symbol, unknown>)[MARK] === true && "jsonSchema" in value;
}

/** The SDK's own validator in Standard Schema terms, or undefined where the schema has none. */
export function aiSdkParser(
  schema: AiSdkSchema,
): ((value: unknown) => StandardResult | Promise<StandardResult>) | undefined {
  const { validate } = schema;
  if (validate === undefined) return undefined;
  return async (value) => {
    const outcome = await validate(value);
    return outcome.success ? { value: outcome.value } : { issues: [{ message: outcome.error.message }] };
  };
}
