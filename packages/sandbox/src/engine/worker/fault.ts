import { JSException } from "quickjs-wasi";
import type { Ended } from "../messages.ts";

/** What an error means that came out of the engine, and not out of the code by way of the prelude. */
export function faultOf(error: unknown): Ended {
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (/out of memory|Out of memory|wasm_malloc failed|memory\.grow/.test(said))
    return { as: "limit", limit: "memory" };
  // The engine's own stack is bounded. What it calls within itself may fill the thread's before.
  if (error instanceof RangeError || /call stack size|stack overflow/.test(said))
    return { as: "limit", limit: "stack" };
  const kind = error instanceof JSException ? "an exception outside of the code" : "a fault";
  return { as: "broken", message: `The engine ended with ${kind}: ${said.slice(0, 500)}` };
}
