import { Registry } from "./registry.ts";
import type { AnyTool } from "./tool.ts";

/** Tools that modules registered for the whole process. A rig lists its own tools first, then these. */
export const processTools = new Registry();

/** Registers a tool for every rig in this process. For reusable tool modules, at import time. */
export function registerTool(tool: AnyTool): void {
  processTools.add(tool, { provider: "process" });
}
