import type { JsonSchema, ToolSource } from "@toolrig/core";
import { coerce } from "@toolrig/core";
import { check, messageOf, nearestNames } from "@toolrig/core/kit";
import { type Known, misfits, schemaAt, typesOf } from "./fits.ts";
import { type Action, type MapAction, type Plan, RESERVED, type Reference, type Step } from "./plan.ts";
import { isReference, placeholdersIn, referencesIn, referencesOf } from "./reference.ts";
import { Schedule, type Scheduled } from "./schedule.ts";
import { planSchema } from "./schema.ts";

/** Something that makes a plan impossible to carry out. */
export interface PlanProblem {
  /** The step it is about; absent for the plan as a whole. */
  step?: string;
  message: string;
}

/** A plan that can be carried out, or everything that is wrong with it. Nothing has run by then. */
export function checkPlan(
  given: unknown,
  tools: ToolSource,
): { plan: Plan } | { problems: readonly PlanProblem[] } {
  const shape = coerce(given, planSchema);
  if (!shape.ok)
    return { problems: shape.issues.map(({ path, message }) => ({ message: `${path} ${message}`.trim() })) };
  const plan = shape.value as Plan;
  const names = new Map(plan.steps.map((step) => [step.name, step]));
  const problems = [...nameProblems(plan), ...plan.steps.flatMap(durationProblems)];
  problems.push(...plan.steps.flatMap((step) => linkProblems(step, names)));
  problems.push(...unknown(referencesIn(plan.output), names, new Set(["input"]), undefined));
  if (problems.length === 0) problems.push(...cycleProblems(plan));
  if (problems.length === 0) problems.push(...new Types(names, tools).problems(plan));
  return problems.length === 0 ? { plan } : { problems };
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

/** A schema cannot say which texts are durations. */
function durationProblems({ name, timeout, retry }: Step): PlanProblem[] {
  try {
    check.timeout("timeout", timeout);
    if (retry?.backoff !== undefined)
      check.duration("retry.backoff", retry.backoff, { zero: true, long: false });
    return [];
  } catch (error) {
    return [{ step: name, message: messageOf(error) }];
  }
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

/** Takes away steps that wait for nothing until none is left, or only those that wait for each other. */
function cycleProblems({ steps }: Plan): PlanProblem[] {
  const schedule = new Schedule(steps);
  const stuck = new Set(schedule.steps);
  for (let each = schedule.next(); each !== undefined; each = schedule.next()) {
    stuck.delete(each);
    schedule.over(each);
  }
  const circle = circleIn(stuck).map(({ step }) => step.name);
  const [first] = circle;
  if (first === undefined) return [];
  return [{ step: first, message: `waits for itself: ${circle.join(" needs ")} needs ${first}` }];
}

/** Goes from a step to one that it waits for until a step comes again. */
function circleIn(stuck: ReadonlySet<Scheduled>): Scheduled[] {
  const path: Scheduled[] = [];
  let [each] = stuck;
  while (each !== undefined && !path.includes(each)) {
    path.push(each);
    each = each.needs.find((need) => stuck.has(need));
  }
  return each === undefined ? path : path.slice(path.indexOf(each));
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
    if (action.kind === "loop") {
      const unknown = (action.tools ?? []).filter((name) => this.#tools.get(name) === undefined);
      return unknown.map((name) => this.#unknownTool(name));
    }
    return placeholdersIn(action.prompt)
      .filter((reference) => typeOf(reference) === "missing")
      .map(({ $from, path }) => `"${$from}${path ?? ""}" will not be there`);
  }

  #toolProblems(name: string, input: unknown, typeOf: (reference: Reference) => Known): string[] {
    const tool = this.#tools.get(name);
    if (tool === undefined) return [this.#unknownTool(name)];
    return misfits(input, tool.definition.inputSchema, typeOf).map(
      (message) => `the input does not fit ${name}: ${message}`,
    );
  }

  #unknownTool(name: string): string {
    const near = nearestNames(name, new Set(this.#tools.tools().map((tool) => tool.name)));
    return `there is no tool called "${name}".${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`}`;
  }

  #mapProblems({ over }: MapAction): string[] {
    return misfits(over, { type: "array" }, (reference) => this.#typeOf(reference, undefined)).map(
      (message) => `the list to go over does not fit: ${message}`,
    );
  }

  #itemsOf({ over }: MapAction): JsonSchema | undefined {
    const whole = isReference(over) ? this.#typeOf(over, undefined) : undefined;
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
