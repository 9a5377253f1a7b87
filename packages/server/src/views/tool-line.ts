import type { AnyTool, ToolSource } from "@toolrig/core";
import { defined, definitionIn, UNDECLARED } from "@toolrig/core/kit";
import type { ToolLine, ToolStats } from "../wire.ts";

export function safetyOf({ safety }: AnyTool): ToolLine["safety"] {
  const { sideEffects, idempotent, requires } = safety;
  return { sideEffects, idempotent, requires, declared: safety !== UNDECLARED };
}

export function toolLine(source: ToolSource, tool: AnyTool, stats: ToolStats): ToolLine {
  const { description, annotations } = definitionIn(source, tool);
  const provider = source.providerOf?.(tool);
  const available = tool.available();
  return {
    name: tool.name,
    ...defined({ version: tool.version, provider, title: annotations?.title }),
    description,
    safety: safetyOf(tool),
    available: available === true,
    ...(typeof available === "string" && { reason: available }),
    stats,
  };
}
