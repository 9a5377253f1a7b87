import { Ajv2020 } from "ajv/dist/2020.js";
import { isMultiple } from "./decimal.ts";
import { MAX_STEPS } from "./evaluate.ts";
import { formats } from "./formats.ts";
import type { NormalSchema } from "./normal.ts";
import { TooComplex } from "./too-complex.ts";

/**
 * Compiles a vetted schema. Only known keywords with well-formed values reach the code generator, which quotes every
 * string it embeds; patterns run on the engine chosen for them. Undefined where no code can be generated, as on edge
 * runtimes that forbid it: the schema is then evaluated instead.
 */
export function compile(normal: NormalSchema): ((value: unknown) => boolean) | undefined {
  const work = { done: 0 };
  const ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    messages: false,
    inlineRefs: 20,
    formats,
    code: { regExp: patternsOf(normal, work) },
  });
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    errors: false,
    validate: (of: number, value: number) => isMultiple(value, of),
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
  ajv.removeKeyword("dependentRequired");
  ajv.addKeyword({
    keyword: "dependentRequired",
    type: "object",
    schemaType: "object",
    errors: false,
    // A name that objects inherit, such as "constructor", is not there.
    validate: (needs: Record<string, readonly string[]>, value: object) =>
      Object.keys(needs).every(
        (name) => !Object.hasOwn(value, name) || needs[name]?.every((needed) => Object.hasOwn(value, needed)),
      ),
  });
  const document =
    typeof normal.root === "boolean" ? normal.root : { ...normal.root, $defs: { ...normal.definitions } };
  try {
    const check = ajv.compile(document);
    if (normal.patterns.size === 0) return check;
    return (value) => {
      work.done = 0;
      return check(value);
    };
  } catch {
    return undefined;
  }
}

/** Each pattern is bounded; a schema from outside may hold any number of them, so their work is bounded together. */
function patternsOf({ patterns, trusted }: NormalSchema, work: { done: number }) {
  const engine = (source: string) => {
    const matcher = patterns.get(source);
    if (matcher === undefined) throw new Error(`no matcher for ${source}`);
    const test = (text: string) => {
      work.done += matcher.work(text.length);
      if (work.done > MAX_STEPS) throw new TooComplex("too large");
      return matcher.test(text);
    };
    return { test: trusted ? matcher.test : test, toString: () => source };
  };
  return Object.assign(engine, { code: "" });
}
