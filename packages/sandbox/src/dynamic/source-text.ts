import type { ToolDefinition } from "@toolrig/core";
import { declarations } from "../typescript/declarations.ts";
import { typeText } from "../typescript/type-text.ts";
import { schemaOf } from "./field.ts";
import type { Recipe } from "./recipe.ts";

const BOUNDS = { depth: 5, nodes: 500 };
/** All of the host that there is. */
const CONSOLE = `declare const console: { log(...values: unknown[]): void; info(...values: unknown[]): void;
  warn(...values: unknown[]): void; error(...values: unknown[]): void; debug(...values: unknown[]): void };
`;

/** The line before a handler's own first one. */
export const HEAD = "async function handler(input: Input): Promise<Output> {";

/** What a handler finds around itself: its arguments, and the tools that it may call. */
export function aroundOf(recipe: Recipe, definitions: readonly ToolDefinition[]): string {
  return `${typesOf(recipe)}${definitions.length === 0 ? "" : declarations(definitions)}${CONSOLE}`;
}

/** A tool as one text, to be read. */
export function sourceText(recipe: Recipe): string {
  const { description, capabilities, handler } = recipe;
  const calls = capabilities.length === 0 ? "Calls no other tool." : `May call: ${capabilities.join(", ")}.`;
  const comment = [...description.split("\n"), calls].map((line) => `// ${line}`).join("\n");
  return `${comment}\n${typesOf(recipe)}\n${HEAD}\n${handler}\n}\n`;
}

function typesOf({ arguments: fields, output }: Recipe): string {
  const taken = new Set(["Input", "Output"]);
  const input = typeText(schemaOf(fields), "Input", taken, BOUNDS);
  const result =
    output === undefined
      ? { type: "unknown", named: [] }
      : typeText(schemaOf(output), "Output", taken, BOUNDS);
  const types = [
    ...input.named,
    `type Input = ${input.type};`,
    ...result.named,
    `type Output = ${result.type};`,
  ];
  return `${types.join("\n")}\n`;
}
