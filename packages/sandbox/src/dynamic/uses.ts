import type { AnyTool, Safety, ToolDefinition, ToolSource } from "@toolrig/core";
import { defined, definitionIn, isForCaller, nearestNames } from "@toolrig/core/kit";
import type { Use } from "./recipe.ts";

/** What a made tool may call. */
export interface Uses {
  uses: readonly Use[];
  definitions: readonly ToolDefinition[];
  /** What that makes of the tool itself. */
  safety: Safety;
}

/** The tools that are named as capabilities, or what is wrong with each that cannot be one. */
export function usesOf(
  names: readonly string[],
  source: ToolSource,
): ({ ok: true } & Uses) | { ok: false; problems: readonly string[] } {
  const problems: string[] = [];
  const tools: AnyTool[] = [];
  for (const name of new Set(names)) {
    const tool = source.get(name);
    const problem = tool === undefined ? notFound(name, source) : problemWith(tool);
    if (problem !== undefined) problems.push(problem);
    else if (tool !== undefined) tools.push(tool);
  }
  if (problems.length > 0) return { ok: false, problems };
  const uses = tools.map((tool): Use => {
    const provider = source.providerOf?.(tool);
    return { name: tool.name, ...defined({ provider }) };
  });
  const definitions = tools.map((tool) => definitionIn(source, tool));
  return { ok: true, uses, definitions, safety: safetyOf(tools) };
}

function notFound(name: string, source: ToolSource): string {
  const names = source.tools().map((each) => each.name);
  const near = nearestNames(name, names);
  return `There is no tool "${name}" to call.${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`}`;
}

function problemWith(tool: AnyTool): string | undefined {
  const available = tool.available();
  if (available !== true) return `${tool.name} cannot be called: ${available}.`;
  return whyNever(tool);
}

/** Why no made tool calls it, whatever was declared. */
export function whyNever(tool: AnyTool): string | undefined {
  if (tool.type === "dynamic")
    return `${tool.name} was made at run time, too: such tools do not call each other. Call what it calls.`;
  // It would call whatever its caller may, whatever is declared here.
  if (isForCaller(tool))
    return `${tool.name} makes calls of its caller's choice, which cannot be handed on. Name what is to be called.`;
  return undefined;
}

const HARM = ["none", "read", "write", "external"] as const;

/** The worst of what it may call. Calls that may each be repeated make a whole that may not. */
function safetyOf(tools: readonly AnyTool[]): Safety {
  const worst = Math.max(0, ...tools.map(({ safety }) => HARM.indexOf(safety.sideEffects)));
  const requires = new Set(tools.flatMap(({ safety }) => safety.requires));
  return { sideEffects: HARM[worst] ?? "external", idempotent: worst < 2, requires: [...requires].sort() };
}
