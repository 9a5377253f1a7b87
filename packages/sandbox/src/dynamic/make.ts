import type { ToolContext, Waiting } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { checkTypes, type TypeCheck } from "../typescript/check.ts";
import { type SourceProblem, stripBody } from "../typescript/strip.ts";
import { schemaOf } from "./field.ts";
import { handlerOf, type Workshop } from "./handler.ts";
import { mismatch, problemInFields, problemInName } from "./problems.ts";
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
  /** Undefined where none is installed, false where nobody is to check types. */
  compiler: string | false | undefined;
  by: string | undefined;
}

/** Takes a recipe through every check, and calls its example. Nothing is kept or registered. */
export async function tryRecipe(
  recipe: Recipe,
  making: Making,
  context: ToolContext,
): Promise<Tried | Stopped | Waits> {
  const wrong = problemAtOnce(recipe, making.workshop);
  if (wrong !== undefined) return wrong;
  const used = usesOf(recipe.capabilities, making.workshop.tools);
  if (!used.ok) return stopped("capabilities", ...used.problems);
  const caller = { principal: context.principal?.id, signal: context.signal };
  const stripped = await stripBody(recipe.handler, caller);
  if (!stripped.ok) return stopped("syntax", stripped.problem);
  const checked = { head: HEAD, body: recipe.handler, declarations: aroundOf(recipe, used.definitions) };
  const { compiler } = making;
  const types: TypeCheck =
    compiler === false
      ? { status: "skipped", reason: "it is switched off" }
      : await checkTypes(checked, compiler, caller);
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
  const run = handlerOf({ ...recipe, uses, safety, ...defined({ by }) }, workshop);
  const answer = await run(recipe.example, context);
  if (answer.status === "waiting") return { ok: false, waiting: answer.waiting };
  if (answer.status === "failed") {
    const { failure, line } = answer;
    return stopped("example", { message: failure.message, ...defined({ line }) });
  }
  const value = answer.value ?? null;
  const wrong = recipe.output === undefined ? undefined : mismatch(value, schemaOf(recipe.output));
  if (wrong === undefined) return { ...tried, example: { value } };
  return stopped("example", `The example returned something else than output says: ${wrong}`);
}

/** What is wrong before anything of it is looked at. */
function problemAtOnce(recipe: Recipe, { tools }: Workshop): Stopped | undefined {
  const field = problemInFields(recipe);
  if (field !== undefined) return stopped("fields", field);
  const { name } = recipe;
  const wrong = problemInName(name);
  if (wrong !== undefined) return stopped("name", wrong);
  const taken = tools.get(name);
  if (taken === undefined || taken.type === "dynamic") return undefined;
  const provider = tools.providerOf?.(taken) ?? "somebody else";
  return stopped("name", `${name} is a tool of "${provider}", which is never replaced. Choose another name.`);
}
