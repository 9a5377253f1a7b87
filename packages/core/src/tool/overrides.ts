import { freeze } from "../copy.ts";
import { isThenable } from "../maybe-promise.ts";
import type { Checks } from "../options/check.ts";
import type { AcceptedSchema } from "../schema/accept.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { validatorFor } from "../schema/validate.ts";
import type { Preference, ToolSpec } from "./tool.ts";

type Spec = ToolSpec<unknown, unknown>;
type Overrides = Readonly<Record<string, unknown>>;

/** The overrides of a tool. Throws for one that is no parameter of it, or no value that the parameter can have. */
export function overridesOf(
  preference: Preference | undefined,
  { jsonSchema }: AcceptedSchema,
  trusted: boolean,
  check: Checks,
): Overrides | undefined {
  const overrides = preference?.overrides;
  if (overrides === undefined || Object.keys(overrides).length === 0) return undefined;
  const properties = propertiesOf(jsonSchema);
  const others = { ...jsonSchema, required: [] };
  const issues = validatorFor(others, { trusted }).issues(overrides);
  for (const [name, value] of Object.entries(overrides)) {
    const field = `preference.overrides.${name}`;
    if (!Object.hasOwn(properties, name)) {
      const expected = `one of the tool's parameters (${Object.keys(properties).join(", ")})`;
      throw check.invalid(field, expected, name);
    }
    const issue = issues.find(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`));
    if (issue !== undefined) throw check.invalid(field, `valid for input (${issue.message})`, value);
  }
  return overrides;
}

/** The schema that a model is shown: with the overrides as defaults, so that it may leave them out. */
export function withDefaults(schema: JsonSchema, overrides: Overrides | undefined): JsonSchema {
  if (overrides === undefined) return schema;
  const properties = { ...propertiesOf(schema) };
  for (const [name, value] of Object.entries(overrides)) {
    const property = properties[name];
    properties[name] = { ...(typeof property === "object" ? property : {}), default: value };
  }
  const { required, ...rest } = schema;
  const needed = Array.isArray(required) ? required.filter((name) => !Object.hasOwn(overrides, name)) : [];
  return freeze({ ...rest, properties, ...(needed.length > 0 && { required: needed }) });
}

/** The tool's own `prepare`, and then the overrides for what the arguments leave out. */
export function prepareWith(spec: Spec, overrides: Overrides | undefined): Spec["prepare"] {
  const prepare = spec.prepare?.bind(spec);
  if (overrides === undefined) return prepare;
  return (raw) => {
    const prepared = prepare?.(raw);
    const filled = (args: unknown) => filledIn(args ?? raw ?? {}, overrides);
    return isThenable(prepared) ? Promise.resolve(prepared).then(filled) : filled(prepared);
  };
}

function filledIn(args: unknown, overrides: Overrides): unknown {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  return { ...structuredClone(overrides), ...args };
}

function propertiesOf({ properties }: JsonSchema): Record<string, unknown> {
  return typeof properties === "object" && properties !== null ? (properties as Record<string, unknown>) : {};
}
