import { Ajv2020 } from "ajv/dist/2020.js";
import { formats } from "./formats.ts";
import type { NormalSchema } from "./normal.ts";

/**
 * Compiles a vetted schema. Only known keywords with well-formed values reach the code generator, which quotes every
 * string it embeds; patterns run on the engine chosen for them. Undefined where no code can be generated, as on edge
 * runtimes that forbid it: the schema is then evaluated instead.
 */
export function compile(normal: NormalSchema): ((value: unknown) => boolean) | undefined {
  const ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    messages: false,
    inlineRefs: 20,
    multipleOfPrecision: 6,
    formats,
    code: { regExp: patternsOf(normal) },
  });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    errors: false,
    // Only for scalar elements, of which any other is a problem anyway: the rest is never compiled.
    validate: (_unique: boolean, items: unknown[]) => new Set(items).size === items.length,
  });
  const document =
    typeof normal.root === "boolean" ? normal.root : { ...normal.root, $defs: { ...normal.definitions } };
  try {
    return ajv.compile(document);
  } catch {
    return undefined;
  }
}

function patternsOf(normal: NormalSchema) {
  const engine = (source: string) => {
    const matcher = normal.patterns.get(source);
    if (matcher === undefined) throw new Error(`no matcher for ${source}`);
    return { test: matcher.test, toString: () => source };
  };
  return Object.assign(engine, { code: "" });
}
