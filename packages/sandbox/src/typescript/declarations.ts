import type { ToolDefinition } from "@toolrig/core";
import { check, declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import { docComment } from "./doc-comment.ts";
import { memberName, pascal, type TypeBounds, typeText } from "./type-text.ts";

export interface DeclarationOptions {
  /** How long the whole may be, in characters. From the first that does not fit on, tools are named without their types. Default 24,000. */
  maxLength?: number;
  /** How long the declaration of one tool may be, in characters: what lies deeper is cut. Default 4,000. */
  maxToolLength?: number;
}

const declarationOptions = declareOptions("declarations", {
  maxLength: option.count(1, { default: 24_000 }),
  maxToolLength: option.count(1, { default: 4_000 }),
} satisfies OptionTable<DeclarationOptions>);

/** What is tried one after the other until a tool's declaration is short enough. */
const BOUNDS: readonly TypeBounds[] = [
  { depth: 12, nodes: 2_000 },
  { depth: 5, nodes: 200 },
  { depth: 3, nodes: 60 },
  { depth: 2, nodes: 20 },
];

const HEAD = `/** What a call that fails throws. */
interface ToolError extends Error { tool: string; code: string; kind: string; details?: any; value?: any; content?: string }
`;

/**
 * Tools as TypeScript: `declare const tools` with one async method each, arguments and results typed by their schemas. What a
 * tool does not say of its result is `any`. The text type-checks whatever the schemas hold, and its length is bounded.
 */
export function declarations(
  definitions: readonly ToolDefinition[],
  options: DeclarationOptions = {},
): string {
  check.list("definitions", definitions, "a list of tool definitions");
  for (const [index, definition] of definitions.entries()) {
    check.object(`definitions[${index}]`, definition, "a tool definition");
    check.string(`definitions[${index}].name`, definition.name);
  }
  const { maxLength, maxToolLength } = declarationOptions.withDefaults(options);
  const taken = new Set(["ToolError"]);
  const named: string[] = [];
  const members: string[] = [];
  const left: string[] = [];
  let length = 0;
  for (const definition of definitions) {
    if (left.length > 0) {
      left.push(definition.name);
      continue;
    }
    const { member, types } = bounded(definition, taken, maxToolLength);
    length += [member, ...types].join("").length;
    if (length > maxLength) left.push(definition.name);
    else {
      members.push(member);
      named.push(...types);
    }
  }
  const rest = left.length === 0 ? "" : untyped(left, Math.max(1_000, maxLength / 8));
  return `${HEAD}${named.map((each) => `${each}\n`).join("")}declare const tools: {\n${members.join("")}${rest}};\n`;
}

interface Declared {
  member: string;
  types: string[];
}

/** As much of a tool as there is room for. */
function bounded(definition: ToolDefinition, taken: Set<string>, maxLength: number): Declared {
  for (const bounds of BOUNDS) {
    const names = new Set(taken);
    const declared = declare(definition, names, bounds);
    if ([declared.member, ...declared.types].join("").length > maxLength) continue;
    for (const name of names) taken.add(name);
    return declared;
  }
  const { name, description } = definition;
  const remark = "  // Its types are too large to be shown.\n";
  const member = `${docComment(description, "  ")}${remark}  ${memberName(name)}(args: any): Promise<any>;\n`;
  return { member, types: [] };
}

function declare(
  { name, description, inputSchema, outputSchema }: ToolDefinition,
  taken: Set<string>,
  bounds: TypeBounds,
): Declared {
  const prefix = pascal(name) || "Tool";
  const args = typeText(inputSchema, `${prefix}Args`, taken, bounds);
  const result =
    outputSchema === undefined
      ? { type: "any", named: [], cut: false }
      : typeText(outputSchema, `${prefix}Result`, taken, bounds);
  const remark = args.cut || result.cut ? "  // Parts of its types are cut: they are any.\n" : "";
  const required = needsArguments(inputSchema.required) ? "" : "?";
  const signature = `  ${memberName(name)}(args${required}: ${inner(args.type)}): Promise<${inner(result.type)}>;\n`;
  return {
    member: `${docComment(description, "  ")}${remark}${signature}`,
    types: [...args.named, ...result.named],
  };
}

/** Types are written as those of a declaration of their own; within `tools` they stand one step further in. */
function inner(type: string): string {
  return type.replaceAll("\n", "\n  ");
}

function needsArguments(required: unknown): boolean {
  return Array.isArray(required) && required.length > 0;
}

/** Those that there is no room for: by name as long as there is room for that, and how many are left. */
function untyped(names: readonly string[], room: number): string {
  const lines = ["  // There is no room for the types of these:\n"];
  let length = 0;
  for (const [index, name] of names.entries()) {
    const line = `  ${memberName(name)}(args?: any): Promise<any>;\n`;
    length += line.length;
    if (length > room) {
      lines.push(`  // … and ${names.length - index} more tools, which can be called all the same.\n`);
      break;
    }
    lines.push(line);
  }
  return lines.join("");
}
