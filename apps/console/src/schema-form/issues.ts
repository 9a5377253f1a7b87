import { isSchema, resolved, type Schema, shapeOf } from "./shape.ts";

/** What is wrong with a value. `path` is a JSON pointer into it. */
export interface Issue {
  path: string;
  message: string;
}

/** A schema may be a stranger's, and go round in circles. */
const MAX_CHECKS = 5_000;
const MAX_DEPTH = 64;

/**
 * What a form can tell before the server does: types, what is missing, choices, bounds. Of patterns, which a stranger may
 * have written to take for ever, and of what no form is made of it says nothing; the server has the last word on everything.
 */
export function issuesOf(
  value: unknown,
  schema: Schema,
  root: Schema = schema,
  path = "",
  budget = { checks: MAX_CHECKS, depth: MAX_DEPTH },
): Issue[] {
  const whole = budget.checks > 0 && budget.depth > 0 ? resolved(schema, root) : undefined;
  if (whole === undefined) return [];
  budget.checks -= 1;
  budget.depth -= 1;
  const issues = issuesWithin(value, whole, root, path, budget);
  budget.depth += 1;
  return issues;
}

interface Budget {
  checks: number;
  depth: number;
}

function issuesWithin(value: unknown, whole: Schema, root: Schema, path: string, budget: Budget): Issue[] {
  const wrong = (message: string): Issue[] => [{ path, message }];
  const shape = shapeOf(whole, root);
  switch (shape.kind) {
    case "text":
      return typeof value === "string" ? textIssues(value, whole, path) : wrong("Text is missing.");
    case "number":
      if (typeof value !== "number")
        return wrong(value === undefined ? "A number is missing." : "This is no number.");
      return numberIssues(value, whole, shape.integer, path);
    case "flag":
      return typeof value === "boolean" ? [] : wrong("Choose yes or no.");
    case "null":
      return value === null ? [] : wrong("Only null is taken.");
    case "choice":
      return shape.values.some((each) => same(each, value)) ? [] : wrong("Choose one.");
    case "list":
      if (!Array.isArray(value)) return wrong("A list is missing.");
      return [
        ...countIssues(value.length, whole, path),
        ...value.flatMap((each, index) => issuesOf(each, shape.items, root, `${path}/${index}`, budget)),
      ];
    case "object":
      if (!isSchema(value)) return wrong("An object is missing.");
      return [
        ...unknownFields(value, whole, path),
        ...shape.fields.flatMap(({ name, schema: each, required }) => {
          const at = `${path}/${pointerPart(name)}`;
          if (Object.hasOwn(value, name)) return issuesOf(value[name], each, root, at, budget);
          return required ? [{ path: at, message: "This is required." }] : [];
        }),
      ];
    case "union": {
      const each = shape.branches.map((branch) => issuesOf(value, branch.schema, root, path, budget));
      if (each.some((issues) => issues.length === 0)) return [];
      // The branch that is meant is one whose kind the value has, with the least wrong in it.
      const weight = (issues: Issue[]) =>
        issues.length + (issues.some((issue) => issue.path === path) ? 1_000 : 0);
      return each.reduce((best, issues) => (weight(issues) < weight(best) ? issues : best));
    }
    case "json":
      return value === undefined ? wrong("A value is missing.") : [];
  }
}

function textIssues(value: string, schema: Schema, path: string): Issue[] {
  const { minLength, maxLength, format } = schema;
  const length = [...value].length;
  if (typeof minLength === "number" && length < minLength)
    return [{ path, message: minLength === 1 ? "Text is missing." : `At least ${minLength} characters.` }];
  if (typeof maxLength === "number" && length > maxLength)
    return [{ path, message: `At most ${maxLength} characters; these are ${length}.` }];
  if (format === "email" && !/^\S+@\S+$/.test(value)) return [{ path, message: "This is no email address." }];
  return [];
}

function numberIssues(value: number, schema: Schema, integer: boolean, path: string): Issue[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (integer && !Number.isInteger(value)) return [{ path, message: "Whole numbers only." }];
  if (typeof minimum === "number" && value < minimum) return [{ path, message: `At least ${minimum}.` }];
  if (typeof maximum === "number" && value > maximum) return [{ path, message: `At most ${maximum}.` }];
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return [{ path, message: `More than ${exclusiveMinimum}.` }];
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    return [{ path, message: `Less than ${exclusiveMaximum}.` }];
  return [];
}

function countIssues(length: number, { minItems, maxItems }: Schema, path: string): Issue[] {
  if (typeof minItems === "number" && length < minItems) return [{ path, message: `At least ${minItems}.` }];
  if (typeof maxItems === "number" && length > maxItems) return [{ path, message: `At most ${maxItems}.` }];
  return [];
}

function unknownFields(value: Schema, schema: Schema, path: string): Issue[] {
  if (schema.additionalProperties !== false || !isSchema(schema.properties)) return [];
  const known = schema.properties;
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => ({ path: `${path}/${pointerPart(name)}`, message: "There is no such field." }));
}

export function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
