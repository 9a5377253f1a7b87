import type { AnyTool } from "../tool/tool.ts";
import { Registry } from "./registry.ts";

const SHARED = Symbol.for("toolrig.global-tools");

/** On the global object, so that two copies of this package in one process have the same. */
function shared(): Registry {
  const global = globalThis as { [SHARED]?: Registry };
  global[SHARED] ??= new Registry();
  return global[SHARED];
}

/** Tools that modules registered for the whole process. A rig lists its own tools first, then these. */
export const globalTools: Registry = shared();

/**
 * Registers a tool for every rig in this process. For reusable tool modules, at import time.
 *
 * @example
 * ```ts
 * import { Executor, registerTool, tool } from "@toolrig/core";
 *
 * const ping = tool({
 *   name: "ping",
 *   description: "Answer",
 *   input: { type: "object" },
 *   execute: () => "pong",
 * });
 * registerTool(ping);
 *
 * const { value } = await new Executor().call({ id: "call_1", name: "ping" });
 * console.log(value); //=> pong
 * ```
 */
export function registerTool(tool: AnyTool): void {
  globalTools.add(tool, { provider: "process" });
}
