import type { ArgumentIssue } from "../failure/failure.ts";
import { nearestNames } from "../nearest.ts";
import { describeSchema, describeValue, shorten, shortList } from "./describe.ts";
import type { Path, Problem } from "./evaluate.ts";
import type { NormalSchema, SchemaObject } from "./normal.ts";
import { typeOf } from "./scalar.ts";

const MAX_ISSUES = 20;

/**
 * Problems as the model should read them: one issue for each place, saying what was expected, what came and the fix
 * to make. A union gives the issues of the branch that was evidently meant, or one issue listing the alternatives.
 */
export function issuesOf(normal: NormalSchema, problems: readonly Problem[]): ArgumentIssue[] {
  const issues = new Map<string, ArgumentIssue>();
  for (const problem of problems.flatMap(meant)) {
    const issue = issueOf(normal, problem);
    const key = problem.property === undefined ? issue.path : `${issue.path} ${issue.expected}`;
    if (!issues.has(key)) issues.set(key, issue);
  }
  return atMost([...issues.values()]);
}

/** As many issues as a model can use, and how many more there are. */
export function atMost(all: ArgumentIssue[]): ArgumentIssue[] {
  if (all.length <= MAX_ISSUES) return all;
  const more = all.length - MAX_ISSUES;
  const rest = {
    path: "",
    expected: "fewer problems",
    received: `${more} more`,
    message: `... and ${more} more problems.`,
  };
  return [...all.slice(0, MAX_ISSUES), rest];
}

function issueOf(normal: NormalSchema, problem: Problem): ArgumentIssue {
  const { keyword, schema, value, path, property } = problem;
  if (property !== undefined) return propertyIssue(normal, problem, property);
  const received = describeValue(value);
  const expected = expectation(normal, keyword, schema);
  return issue(
    pointerOf(path),
    expected,
    received,
    `${labelOf(path)}: expected ${expected}, received ${received}${isTooLong(problem) ? TOO_LONG : ""}.`,
  );
}

const TOO_LONG = ", which has more digits than a number can keep: send one that fits";

/** Whether a number was wanted and these are the digits of one that a double cannot hold. */
function isTooLong({ keyword, schema, value }: Problem): boolean {
  if (keyword !== "type" || typeof value !== "string") return false;
  if (schema.type?.includes("integer") !== true && schema.type?.includes("number") !== true) return false;
  const digits = value.trim();
  if (/^[+-]?\d{16,}$/.test(digits)) return !Number.isSafeInteger(Number(digits));
  return /^[+-]?\d[\d.]*e\+?\d{3,}$/i.test(digits) && !Number.isFinite(Number(digits));
}

function expectation(normal: NormalSchema, keyword: Problem["keyword"], schema: SchemaObject): string {
  if (keyword === "never") return "nothing here";
  if (keyword === "not") return `anything but ${describeSchema(normal, schema.not ?? true)}`;
  if (keyword === "contains")
    return `an array with an item that is ${describeSchema(normal, schema.contains ?? true)}`;
  if (keyword === "uniqueItems") return "an array without duplicates";
  if (keyword === "maxContains") return `an array with at most ${schema.maxContains} such items`;
  if (keyword === "minProperties") return `an object with at least ${schema.minProperties} properties`;
  if (keyword === "maxProperties") return `an object with at most ${schema.maxProperties} properties`;
  if (keyword === "anyOf") return describeSchema(normal, { anyOf: schema.anyOf ?? [] });
  if (keyword === "oneOf") return `exactly one of: ${describeSchema(normal, { oneOf: schema.oneOf ?? [] })}`;
  return describeSchema(normal, schema);
}

function propertyIssue(
  normal: NormalSchema,
  { keyword, schema, value, path }: Problem,
  property: string,
): ArgumentIssue {
  const at: Path = { parent: path, key: property };
  const label = labelOf(at);
  if (keyword === "required" || keyword === "dependentRequired") {
    const part = schema.properties?.[property] ?? true;
    const expected = describeSchema(normal, part);
    const about =
      typeof part === "object" && part.description !== undefined ? `: ${shorten(part.description, 120)}` : "";
    const hint = expected === "anything" && about === "" ? "" : ` (${expected}${about})`;
    return issue(pointerOf(at), expected, "nothing", `${label}: required but missing. Add it${hint}.`);
  }
  if (keyword === "propertyNames") {
    const expected = `a property name that is ${describeSchema(normal, schema.propertyNames ?? true)}`;
    return issue(pointerOf(at), expected, `"${shorten(property, 60)}"`, `${label}: expected ${expected}.`);
  }
  const names = Object.keys(schema.properties ?? {});
  const absent = names.filter((name) => !Object.hasOwn(value as object, name));
  const [near] = nearestNames(property, absent.slice(0, 1_000), 1);
  const known = names.length === 0 ? "no properties" : `one of ${shortList(names, 12)}`;
  const fix =
    near === undefined
      ? `Remove it; known here: ${known.replace("one of ", "")}.`
      : `Did you mean "${near}"?`;
  return issue(
    pointerOf(at),
    known,
    `unknown property "${shorten(property, 60)}"`,
    `${label}: unknown property. ${fix}`,
  );
}

function issue(path: string, expected: string, received: string, message: string): ArgumentIssue {
  return { path, expected: shorten(expected, 300), received, message: shorten(message, 600) };
}

/** What a failed union comes down to. */
function meant(problem: Problem): Problem[] {
  const { branches } = problem;
  if (branches === undefined) return [problem];
  const tagged = sharedTag(problem, branches);
  if (tagged !== undefined) return [tagged];
  const shaped = branches.filter((branch) => !branch.some((each) => isOtherShape(problem, each)));
  shaped.sort((a, b) => a.length - b.length);
  const [best, second] = shaped;
  if (best === undefined || (second !== undefined && second.length === best.length)) return [problem];
  return best.flatMap(meant);
}

/** Whether a problem shows that its branch was not the one meant: another type, or another value of a tag. */
function isOtherShape(union: Problem, { keyword, schema, path }: Problem): boolean {
  if (path === union.path) return keyword === "type" || keyword === "enum" || keyword === "never";
  return keyword === "enum" && path?.parent === union.path && schema.enum?.length === 1;
}

/** When every object branch wants another value of the same property, that property is what is wrong. */
function sharedTag(union: Problem, branches: readonly Problem[][]): Problem | undefined {
  if (typeOf(union.value) !== "object") return undefined;
  const choices: unknown[] = [];
  let tag: Problem | undefined;
  for (const branch of branches) {
    if (branch.some(({ keyword, path }) => keyword === "type" && path === union.path)) continue;
    const mismatch = branch.find((each) => each.path !== union.path && isOtherShape(union, each));
    if (mismatch === undefined || (tag !== undefined && mismatch.path?.key !== tag.path?.key))
      return undefined;
    tag ??= mismatch;
    choices.push(...(mismatch.schema.enum ?? []));
  }
  return tag === undefined ? undefined : { ...tag, schema: { enum: choices } };
}

export function pointerOf(path: Path | undefined): string {
  let pointer = "";
  for (let at = path; at !== undefined; at = at.parent) {
    pointer = `/${String(at.key).replaceAll("~", "~0").replaceAll("/", "~1")}${pointer}`;
  }
  return pointer;
}

/** The place as a person writes it: `filters[0].name`. */
function labelOf(path: Path | undefined): string {
  if (path === undefined) return "arguments";
  let label = "";
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) {
    const dot = at.parent === undefined ? "" : ".";
    label = (typeof at.key === "number" ? `[${at.key}]` : `${dot}${shorten(at.key, 60)}`) + label;
  }
  return shorten(label, 200);
}
