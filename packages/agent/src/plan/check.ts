import type { JsonSchema, ToolSource } from "@toolrig/core";
import { coerce } from "@toolrig/core/json";
import { nearestNames } from "@toolrig/core/kit";
import { type Known, misfits, schemaAt, typesOf } from "./fits.ts";
import { type Action, type MapAction, type Plan, RESERVED, type Reference, type Step } from "./plan.ts";
import { placeholdersIn, referencesIn, referencesOf } from "./reference.ts";
import { planSchema } from "./schema.ts";

/** Something that makes a plan impossible to carry out. */
export interface PlanProblem {
  /** The step it is about; absent for the plan as a whole. */
  step?: string;
  message: string;
}

export interface CheckedPlan {
  plan: Plan;
  /** Steps that each step waits for. */
  dependencies: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A plan that can be carried out, or everything that is wrong with it. Nothing has run by then. */
export function checkPlan(
  given: unknown,
  tools: ToolSource,
): CheckedPlan | { problems: readonly PlanProblem[] } {
  const shape = coerce(given, planSchema);
  if (!shape.ok)
    return { problems: shape.issues.map(({ path, message }) => ({ message: `${path} ${message}`.trim() })) };
  const plan = shape.value as Plan;
  const names = new Map(plan.steps.map((step) => [step.name, step]));
  const problems = [...nameProblems(plan), ...plan.steps.flatMap((step) => linkProblems(step, names))];
  problems.push(...unknown(referencesIn(plan.output), names, new Set(["input"]), undefined));
  const dependencies = new Map(plan.steps.map((step) => [step.name, dependenciesOf(step)]));
  if (problems.length === 0) problems.push(...cycleProblems(dependencies));
  if (problems.length === 0) problems.push(...new Types(names, tools).problems(plan));
  return problems.length === 0 ? { plan, dependencies } : { problems };
}

function nameProblems({ steps }: Plan): PlanProblem[] {
  const seen = new Set<string>();
  return steps.flatMap(({ name }) => {
    const message = RESERVED.has(name)
      ? `"${name}" is reserved`
      : seen.has(name)
        ? "the name is used twice"
        : "";
    seen.add(name);
    return message === "" ? [] : [{ step: name, message }];
  });
}

function linkProblems(step: Step, names: ReadonlyMap<string, Step>): PlanProblem[] {
  const inside = step.kind === "map" ? mapReferences(step) : [];
  const outside = referencesOf(step).concat((step.after ?? []).map(($from) => ({ $from })));
  return [
    ...unknown(outside, names, new Set(["input"]), step.name),
    ...unknown(inside, names, RESERVED, step.name),
  ];
}

function mapReferences({ do: action }: MapAction): Reference[] {
  return referencesOf({ ...action, name: "" } as Step);
}

function unknown(
  references: readonly Reference[],
  names: ReadonlyMap<string, Step>,
  besides: ReadonlySet<string>,
  step: string | undefined,
): PlanProblem[] {
  const about = step === undefined ? {} : { step };
  return references
    .filter(({ $from }) => !names.has($from) && !besides.has($from))
    .map(({ $from }) => {
      const near = nearestNames($from, names.keys());
      const hint = RESERVED.has($from)
        ? "It can only be used inside a map."
        : near.length === 0
          ? `There is ${[...names.keys()].join(", ")}.`
          : `Did you mean ${near.join(" or ")}?`;
      return { ...about, message: `refers to "${$from}", which is not a step. ${hint}` };
    });
}

function dependenciesOf(step: Step): Set<string> {
  const all = [...referencesOf(step).map(({ $from }) => $from), ...(step.after ?? [])];
  return new Set(all.filter((name) => !RESERVED.has(name)));
}

/** Takes away steps that wait for nothing until none is left, or only those that wait for each other. */
function cycleProblems(dependencies: ReadonlyMap<string, ReadonlySet<string>>): PlanProblem[] {
  const waiting = new Map([...dependencies].map(([name, needs]) => [name, needs.size]));
  const dependants = dependantsOf(dependencies);
  const ready = [...waiting].filter(([, count]) => count === 0).map(([name]) => name);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    waiting.delete(name);
    for (const each of dependants.get(name) ?? []) {
      const left = waiting.get(each)! - 1;
      waiting.set(each, left);
      if (left === 0) ready.push(each);
    }
  }
  if (waiting.size === 0) return [];
  const circle = circleIn(dependencies, waiting);
  return [{ step: circle[0]!, message: `waits for itself: ${circle.join(" needs ")} needs ${circle[0]}` }];
}

/** Steps by the step that they wait for. */
export function dependantsOf(dependencies: ReadonlyMap<string, ReadonlySet<string>>): Map<string, string[]> {
  const dependants = new Map<string, string[]>();
  for (const [name, needs] of dependencies) {
    for (const need of needs) {
      const list = dependants.get(need);
      if (list === undefined) dependants.set(need, [name]);
      else list.push(name);
    }
  }
  return dependants;
}

function circleIn(
  dependencies: ReadonlyMap<string, ReadonlySet<string>>,
  stuck: ReadonlyMap<string, number>,
): string[] {
  const path: string[] = [];
  let name = stuck.keys().next().value!;
  while (!path.includes(name)) {
    path.push(name);
    name = [...dependencies.get(name)!].find((each) => stuck.has(each))!;
  }
  return path.slice(path.indexOf(name));
}

/** What can be known of the types of a plan before it runs. */
class Types {
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #tools: ToolSource;

  constructor(steps: ReadonlyMap<string, Step>, tools: ToolSource) {
    this.#steps = steps;
    this.#tools = tools;
  }

  problems({ steps }: Plan): PlanProblem[] {
    return steps.flatMap((step) => {
      const items = step.kind === "map" ? this.#itemsOf(step) : undefined;
      const found =
        step.kind === "map"
          ? [...this.#mapProblems(step), ...this.#actionProblems(step.do, items)]
          : this.#actionProblems(step, undefined);
      return found.map((message) => ({ step: step.name, message }));
    });
  }

  #actionProblems(action: Action, item: JsonSchema | undefined): string[] {
    const typeOf = (reference: Reference) => this.#typeOf(reference, item);
    if (action.kind === "tool") return this.#toolProblems(action.tool, action.input ?? {}, typeOf);
    if (action.kind === "validate") return misfits(action.value, action.schema, typeOf);
    if (action.kind === "loop") return (action.tools ?? []).flatMap((name) => this.#unknownTool(name) ?? []);
    return placeholdersIn(action.prompt)
      .filter((reference) => typeOf(reference) === "missing")
      .map(({ $from, path }) => `"${$from}${path ?? ""}" will not be there`);
  }

  #toolProblems(name: string, input: unknown, typeOf: (reference: Reference) => Known): string[] {
    const missing = this.#unknownTool(name);
    if (missing !== undefined) return [missing];
    return misfits(input, this.#tools.get(name)!.definition.inputSchema, typeOf).map(
      (message) => `the input does not fit ${name}: ${message}`,
    );
  }

  #unknownTool(name: string): string | undefined {
    if (this.#tools.get(name) !== undefined) return undefined;
    const near = nearestNames(name, new Set(this.#tools.tools().map((tool) => tool.name)));
    return `there is no tool called "${name}".${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`}`;
  }

  #mapProblems({ over }: MapAction): string[] {
    return misfits(over, { type: "array" }, (reference) => this.#typeOf(reference, undefined)).map(
      (message) => `the list to go over does not fit: ${message}`,
    );
  }

  #itemsOf({ over }: MapAction): JsonSchema | undefined {
    const references = referencesIn(over);
    const whole =
      references.length === 1 && references[0] === over ? this.#typeOf(references[0]!, undefined) : undefined;
    if (whole === undefined || whole === "missing" || typesOf(whole)?.has("array") !== true) return undefined;
    const { items } = whole;
    return typeof items === "object" && items !== null ? (items as JsonSchema) : undefined;
  }

  #typeOf({ $from, path = "" }: Reference, item: JsonSchema | undefined): Known {
    if ($from === "index") return path === "" ? { type: "integer" } : "missing";
    const step = this.#steps.get($from);
    const schema = $from === "item" ? item : step === undefined ? undefined : this.#outputOf(step);
    return schema === undefined ? undefined : schemaAt(schema, path);
  }

  #outputOf(action: Action | MapAction): JsonSchema | undefined {
    if (action.kind === "tool") return this.#tools.get(action.tool)?.definition.outputSchema;
    if (action.kind !== "map") return action.schema ?? { type: "string" };
    const items = this.#outputOf(action.do);
    return items === undefined ? { type: "array" } : { type: "array", items };
  }
}
