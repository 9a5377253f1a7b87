import type { JsonSchema } from "@toolrig/core";
import { validatorFor } from "@toolrig/core/kit";
import { RequestProblem } from "./problem.ts";

/** The parameters of a query, as their schemas have them. Throws a problem that names each that is wrong. */
export function queryCheck(
  schemas: Readonly<Record<string, JsonSchema>> = {},
): (search: URLSearchParams) => Record<string, unknown> {
  const whole: JsonSchema = { type: "object", properties: schemas, additionalProperties: false };
  const names = Object.keys(schemas);
  return (search) => {
    const given: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [name, value] of search) {
      if (!names.includes(name))
        throw invalid([
          {
            path: `?${name}`,
            message: `There is no parameter ${name}. There is: ${names.join(", ") || "none"}.`,
          },
        ]);
      if (name in given) throw invalid([{ path: `?${name}`, message: `${name} was given twice.` }]);
      given[name] = typed(value, schemas[name]);
    }
    const query = { ...given };
    const issues = validatorFor(whole).issues(query);
    if (issues.length > 0)
      throw invalid(issues.map(({ path, message }) => ({ path: `?${path.slice(1)}`, message })));
    return query;
  };
}

function typed(value: string, schema: JsonSchema | undefined): unknown {
  const { type } = schema ?? {};
  if ((type === "integer" || type === "number") && /^-?\d{1,16}(?:\.\d+)?$/.test(value)) return Number(value);
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
}

/** Throws a problem with where a body does not fit. */
export function checkBody(schema: JsonSchema, body: unknown): void {
  const validator = validatorFor(schema);
  if (validator.check(body)) return;
  throw invalid(validator.issues(body).map(({ path, message }) => ({ path, message })));
}

const MAX_ISSUES = 20;

function invalid(issues: { path: string; message: string }[]): RequestProblem {
  const some = issues.slice(0, MAX_ISSUES);
  // Each message names what it is about.
  const detail = some
    .slice(0, 3)
    .map(({ message }) => message)
    .join(" ");
  return new RequestProblem("REQUEST_INVALID", detail, { issues: some });
}
