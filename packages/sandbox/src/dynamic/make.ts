import type { JsonSchema, ToolContext, Waiting } from "@toolrig/core";
import { coerce } from "@toolrig/core/json";
import { vendorName } from "@toolrig/core/kit";
import { checkTypes, type TypeCheck } from "../typescript/check.ts";
import { type SourceProblem, stripBody } from "../typescript/strip.ts";
import { problemWithFields, schemaOf } from "./field.ts";
import { handlerOf, type Workshop } from "./handler.ts";
import { hiddenIn } from "./hidden.ts";
import { HOUSE_NAMES } from "./house-names.ts";
import type { Recipe } from "./recipe.ts";
import { aroundOf, HEAD } from "./source-text.ts";
import { type Uses, usesOf } from "./uses.ts";

/** In the order in which a recipe passes them. */
export type Stage = "fields" | "name" | "capabilities" | "syntax" | "types" | "example" | "keep";

/** Where a recipe stopped, and what to change. Lines are those of the handler. */
export interface Stopped {
  ok: false;
  stage: Stage;
  problems: readonly SourceProblem[];
}

/** A recipe that can be kept. */
export interface Tried extends Pick<Uses, "uses" | "safety"> {
  ok: true;
  types: TypeCheck;
  /** What the example returned. */
  example?: { value: unknown };
}

/** Its example waits. */
export interface Waits {
  ok: false;
  waiting: Waiting;
}

export const stopped = (stage: Stage, ...problems: (SourceProblem | string)[]): Stopped => ({
  ok: false,
  stage,
  problems: problems.map((each) => (typeof each === "string" ? { message: each } : each)),
});

/** Who makes a tool, and with what. */
export interface Making {
  workshop: Workshop;
  compiler: string | undefined;
  by: string | undefined;
}

/** Takes a recipe through every check, and calls its example. Nothing is kept or registered. */
export async function tryRecipe(
  recipe: Recipe,
  making: Making,
  context: ToolContext,
): Promise<Tried | Stopped | Waits> {
  const wrong = problemInFields(recipe) ?? problemInName(recipe.name, making.workshop);
  if (wrong !== undefined) return wrong;
  const used = usesOf(recipe.capabilities, making.workshop.tools);
  if (!used.ok) return stopped("capabilities", ...used.problems);
  const stripped = await stripBody(recipe.handler);
  if (!stripped.ok) return stopped("syntax", stripped.problem);
  const checked = { head: HEAD, body: recipe.handler, declarations: aroundOf(recipe, used.definitions) };
  const types = await checkTypes(checked, making.compiler, context.signal);
  if (types.status === "failed") return stopped("types", ...types.problems);
  const tried: Tried = { ok: true, uses: used.uses, safety: used.safety, types };
  return recipe.example === undefined ? tried : callExample(recipe, tried, making, context);
}

async function callExample(
  recipe: Recipe,
  tried: Tried,
  { workshop, by }: Making,
  context: ToolContext,
): Promise<Tried | Stopped | Waits> {
  const { uses, safety } = tried;
  const run = handlerOf({ ...recipe, uses, safety, ...(by !== undefined && { by }) }, workshop);
  const answer = await run(recipe.example, context);
  if (answer.status === "waiting") return { ok: false, waiting: answer.waiting };
  if (answer.status === "failed") {
    const { failure, line } = answer;
    return stopped("example", { message: failure.message, ...(line !== undefined && { line }) });
  }
  const value = answer.value ?? null;
  const wrong = recipe.output === undefined ? undefined : mismatch(value, schemaOf(recipe.output));
  if (wrong === undefined) return { ...tried, example: { value } };
  return stopped("example", `The example returned something else than output says: ${wrong}`);
}

/** It is shown to whoever is offered the tool. */
const MAX_EXAMPLE = 4_000;

function problemInFields(recipe: Recipe): Stopped | undefined {
  const { arguments: fields, output = [], example, capabilities, handler, description } = recipe;
  const problem = problemWithFields("arguments", fields) ?? problemWithFields("output", output);
  if (problem !== undefined) return stopped("fields", problem);
  const hidden = hiddenIn(handler) ?? hiddenIn(description);
  if (hidden !== undefined) return stopped("fields", hidden);
  if (example !== undefined) {
    if (JSON.stringify(example).length > MAX_EXAMPLE)
      return stopped(
        "fields",
        `example is longer than ${MAX_EXAMPLE} characters of JSON. Make it a small one.`,
      );
    const wrong = mismatch(example, schemaOf(fields));
    return wrong === undefined ? undefined : stopped("fields", `example does not fit arguments: ${wrong}`);
  }
  if (capabilities.length > 0) return undefined;
  return stopped(
    "fields",
    "example is missing: give the arguments of a call that shows that the tool works.",
  );
}

const NAME = /^[a-z][a-z0-9_]{1,63}$/;

function problemInName(name: string, { tools }: Workshop): Stopped | undefined {
  if (!NAME.test(name) || vendorName(name) !== name)
    return stopped("name", `"${name}" cannot be its name: take 2 to 64 of a-z, 0-9 and _, a verb first.`);
  if (HOUSE_NAMES.has(name))
    return stopped("name", `${name} is the name of a tool of Toolrig's own. Choose another name.`);
  const taken = tools.get(name);
  if (taken === undefined || taken.type === "dynamic") return undefined;
  const provider = tools.providerOf?.(taken) ?? "somebody else";
  return stopped("name", `${name} is a tool of "${provider}", which is never replaced. Choose another name.`);
}

/** What is wrong with a value, in one sentence; undefined where nothing is. */
function mismatch(value: unknown, schema: JsonSchema): string | undefined {
  const { ok, repairs, issues } = coerce(value, schema);
  if (ok && repairs.length === 0) return undefined;
  const converted = repairs.map(
    ({ path, before, after }) => `${path || "it"} is ${before} where ${after} is meant`,
  );
  return `${[...issues.map(({ message }) => message), ...converted].slice(0, 5).join("; ")}.`;
}
