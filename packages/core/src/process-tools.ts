import { Registry } from "./registry.ts";
import type { AnyTool } from "./tool.ts";

const SHARED = Symbol.for("toolrig.process-tools");
const process: { [SHARED]?: Registry } = globalThis;

/**
 * Tools that modules registered for the whole process; a rig lists its own tools first, then these. Kept on the global
 * object, so that two copies of this package in one process see the same.
 */
export const processTools: Registry = (process[SHARED] ??= new Registry());

/** Registers a tool for every rig in this process. For reusable tool modules, at import time. */
export function registerTool(tool: AnyTool): void {
  processTools.add(tool, { provider: "process" });
}
