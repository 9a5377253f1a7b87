import type { DataLabels } from "../call/labels.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { flag, oneOf, strings, text } from "../options/kinds.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

/**
 * What a tool says of the data it returns and of the parameters that carry data out. This program's word: never to be
 * filled with what a server claims of itself.
 */
export interface Labels extends DataLabels {
  /** Parameters whose values leave the system or choose a recipient; "message.to" names a part of one. */
  sinks?: readonly string[];
  /**
   * Fields of what it returns, with `integrity: "untrusted"`, that the service assigns and that no stranger chooses, such as
   * "id". In an entry that the user's words name, they count as the user's choice. Only data in JSON has fields.
   */
  assigned?: readonly string[];
  /** What it returns are the user's own words, whoever made it ask for them. */
  user?: boolean;
}

export const labelOptions = declareOptions("labels", {
  integrity: oneOf(["trusted", "untrusted"]),
  confidentiality: oneOf(["public", "private"]),
  source: text(),
  sinks: strings("a list of parameter names"),
  assigned: strings("a list of field names"),
  user: flag(),
} satisfies OptionTable<Labels>);

/** A sink that no parameter is called would never be watched. A schema that is put together may have any. */
export function mayHaveParameter(schema: JsonSchema, parameter: string): boolean {
  const { properties, additionalProperties } = schema;
  const composed = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "patternProperties",
    "dependentSchemas",
  ];
  if (typeof properties !== "object" || properties === null || additionalProperties === true) return true;
  return Object.hasOwn(properties, parameter) || composed.some((keyword) => Object.hasOwn(schema, keyword));
}
