import type { AnyTool } from "./tool.ts";

const FOR_CALLER = new WeakSet<AnyTool>();

/**
 * Marks a tool that does nothing itself but make the calls which its caller wrote down: it lends its caller's capabilities, no
 * more and no less. Only code can mark a tool, never a definition from elsewhere.
 */
export function forCaller<T extends AnyTool>(tool: T): T {
  FOR_CALLER.add(tool);
  return tool;
}

export function isForCaller(tool: AnyTool): boolean {
  return FOR_CALLER.has(tool);
}
