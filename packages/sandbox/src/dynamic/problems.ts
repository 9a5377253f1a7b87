import type { JsonSchema } from "@toolrig/core";
import { coerce } from "@toolrig/core";
import { vendorName } from "@toolrig/core/kit";
import type { SourceProblem } from "../typescript/strip.ts";
import { type Field, problemWithFields, schemaOf } from "./field.ts";
import { hiddenIn } from "./hidden.ts";
import { HOUSE_NAMES } from "./house-names.ts";
import type { Recipe } from "./recipe.ts";

/** It is shown to whoever is offered the tool. */
const MAX_EXAMPLE = 4_000;

/** What the schema of a recipe cannot say, of all but its name. */
export function problemInFields(recipe: Recipe): SourceProblem | undefined {
  const { arguments: fields, output = [], example, capabilities } = recipe;
  const problem = problemWithFields("arguments", fields) ?? problemWithFields("output", output);
  if (problem !== undefined) return { message: problem };
  const hidden = hiddenInRecipe(recipe);
  if (hidden !== undefined) return hidden;
  if (example !== undefined) {
    if (JSON.stringify(example).length > MAX_EXAMPLE)
      return { message: `example is longer than ${MAX_EXAMPLE} characters of JSON. Make it a small one.` };
    const wrong = mismatch(example, schemaOf(fields));
    return wrong === undefined ? undefined : { message: `example does not fit arguments: ${wrong}` };
  }
  if (capabilities.length > 0) return undefined;
  return { message: "example is missing: give the arguments of a call that shows that the tool works." };
}

/** A person has to judge all of it. */
function hiddenInRecipe({ handler, description, arguments: args, output = [] }: Recipe) {
  return (
    hiddenIn("It", handler) ??
    withoutLine(hiddenIn("description", description)) ??
    [...args, ...output].map(hiddenInField).find((each) => each !== undefined)
  );
}

function hiddenInField({ name, description = "", values = [] }: Field): SourceProblem | undefined {
  return (
    withoutLine(hiddenIn(`The description of field "${name}"`, description)) ??
    withoutLine(hiddenIn(`A value of field "${name}"`, values.join(" ")))
  );
}

/** Lines are those of the handler. */
function withoutLine(problem: SourceProblem | undefined): SourceProblem | undefined {
  return problem === undefined ? undefined : { message: `${problem.message} Leave it out.` };
}

const NAME = /^[a-z][a-z0-9_]{1,63}$/;

/** Whatever tools there are. */
export function problemInName(name: string): string | undefined {
  if (!NAME.test(name) || vendorName(name) !== name)
    return `"${name}" cannot be its name: take 2 to 64 of a-z, 0-9 and _, a verb first.`;
  return HOUSE_NAMES.has(name)
    ? `${name} is the name of a tool of Toolrig's own. Choose another name.`
    : undefined;
}

/** What is wrong with a value, in one sentence; undefined where nothing is. */
export function mismatch(value: unknown, schema: JsonSchema): string | undefined {
  const { ok, repairs, issues } = coerce(value, schema);
  if (ok && repairs.length === 0) return undefined;
  const converted = repairs.map(
    ({ path, before, after }) => `${path || "it"} is ${before} where ${after} is meant`,
  );
  return `${[...issues.map(({ message }) => message), ...converted].slice(0, 5).join("; ")}.`;
}
