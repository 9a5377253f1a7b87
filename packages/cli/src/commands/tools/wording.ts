import type { ToolDefinition } from "@toolrig/core";
import type { Finding } from "./finding.ts";
import { wordsIn } from "./words.ts";

/** Words that every tool could have in its name. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "do run execute process handle manage perform helper util utils tool action function call data thing stuff misc main test foo bar my new get set".split(
    " ",
  ),
);
const EMPTY_PARAMETERS: ReadonlySet<string> = new Set(
  "data value input arg args param params options opts obj object payload thing stuff foo bar x y z a b".split(
    " ",
  ),
);
/** From this many words on, a description can say what a tool does and when to call it. */
const FEWEST_WORDS = 4;

/** What the words of a definition leave open. */
export function wordingOf({ name, description, inputSchema }: ToolDefinition): Finding[] {
  return [...nameOf(name), ...descriptionOf(name, description), ...parametersOf(name, inputSchema, "")];
}

function nameOf(tool: string): Finding[] {
  // What stands before the double underscore is the server that it comes from.
  const words = wordsIn(tool.split("__").at(-1) ?? tool);
  if (words.length > 0 && !words.every((word) => EMPTY_WORDS.has(word) || /^\d+$/.test(word))) return [];
  const message = `"${tool}" does not say what the tool does. Name what it does to what, such as read_invoice.`;
  return [{ tool, rule: "vague-name", level: "warning", message }];
}

function descriptionOf(tool: string, description: string): Finding[] {
  const words = wordsIn(description);
  const ofName = new Set(wordsIn(tool));
  if (words.length >= FEWEST_WORDS && words.some((word) => !ofName.has(word))) return [];
  const message = `"${description}" tells no more than the name. Say what it does, what comes back and when to call it.`;
  return [{ tool, rule: "vague-description", level: "warning", message }];
}

const MAX_DEPTH = 10;

/** Every named property, at whatever depth it stands. */
function parametersOf(tool: string, schema: unknown, path: string, depth = 0): Finding[] {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return [];
  const { properties, items, anyOf, oneOf, allOf, $defs } = schema as Record<string, unknown>;
  const deeper = (part: unknown, at: string) => parametersOf(tool, part, `${path}/${at}`, depth + 1);
  const inLists = Object.entries({ anyOf, oneOf, allOf }).flatMap(([keyword, parts]) =>
    Array.isArray(parts) ? parts.flatMap((part, index) => deeper(part, `${keyword}/${index}`)) : [],
  );
  const named = (parts: unknown): [string, unknown][] =>
    typeof parts === "object" && parts !== null ? Object.entries(parts) : [];
  return [
    ...named(properties).flatMap(([name, part]) => [
      ...parameterOf(tool, name, part, `${path}/properties/${name}`),
      ...deeper(part, `properties/${name}`),
    ]),
    ...named($defs).flatMap(([name, part]) => deeper(part, `$defs/${name}`)),
    ...deeper(items, "items"),
    ...inLists,
  ];
}

function parameterOf(tool: string, name: string, part: unknown, path: string): Finding[] {
  const { description, const: only } = (part ?? {}) as Record<string, unknown>;
  const isDescribed = typeof description === "string" && description.trim() !== "";
  if (isDescribed || only !== undefined) return [];
  if (EMPTY_PARAMETERS.has(name.toLowerCase())) {
    const message = `"${name}" says nothing, and has no description either. Name what goes into it.`;
    return [{ tool, rule: "vague-parameter", level: "warning", path, message }];
  }
  return [
    { tool, rule: "undescribed-parameter", level: "warning", path, message: `"${name}" has no description.` },
  ];
}
