import type { StandardResult, StandardSchema } from "./standard.ts";

type Parser = (value: unknown) => StandardResult | Promise<StandardResult>;

/** The part of a zod schema that parses asynchronously from the start. */
interface AsyncParser {
  safeParseAsync(
    value: unknown,
  ): Promise<
    | { success: true; data: unknown }
    | { success: false; error: { issues: { message: string; path: PropertyKey[] }[] } }
  >;
}

const MAX_NODES = 10_000;

/**
 * The schema library's own validator. zod tries every schema synchronously and abandons what that attempt began: an
 * asynchronous refinement runs twice, and when it rejects, the first rejection is nobody's and ends the process. A
 * zod schema that holds asynchronous code, or was seen to, is therefore parsed asynchronously from the start.
 */
export function parserOf(schema: StandardSchema): Parser {
  const standard = schema["~standard"];
  if (standard.vendor !== "zod" || !hasAsyncParser(schema)) return (value) => standard.validate(value);
  let isAsync = holdsAsyncCode(schema);
  return (value) => {
    if (isAsync) return parseLater(schema, value);
    const parsed = standard.validate(value);
    if (parsed instanceof Promise) isAsync = true;
    return parsed;
  };
}

async function parseLater(schema: AsyncParser, value: unknown): Promise<StandardResult> {
  const parsed = await schema.safeParseAsync(value);
  return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
}

function hasAsyncParser(schema: unknown): schema is AsyncParser {
  return typeof (schema as Partial<AsyncParser>).safeParseAsync === "function";
}

/** Whether an `async` function is part of the schema's definition. */
function holdsAsyncCode(schema: unknown): boolean {
  const seen = new Set<unknown>([schema]);
  for (const node of seen) {
    if (seen.size > MAX_NODES) return false;
    if (typeof node === "function" && node.constructor.name === "AsyncFunction") return true;
    for (const part of partsOf(node)) seen.add(part);
  }
  return false;
}

function partsOf(node: unknown): unknown[] {
  if (typeof node !== "object" || node === null) return [];
  const { _zod: internals } = node as { _zod?: { def?: unknown } };
  return Object.values(internals?.def ?? node).filter(
    (part) => typeof part === "function" || (typeof part === "object" && part !== null),
  );
}
