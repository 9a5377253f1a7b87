import type { ToolDefinition } from "./definition.ts";
import type { ToolSpec } from "./tool.ts";

/** The framework and its own tool that a tool was adapted from, for the adapter that gives it back to that framework. */
export interface ToolOrigin {
  /** Which framework. */
  readonly name: string;
  /** Its own tool, as it was given. */
  readonly source: object;
  /** Parts of the definition that were replaced when the tool was adapted: the source no longer decides these. */
  readonly replaced: ReadonlySet<keyof ToolSpec<unknown, unknown>>;
  /** The description that the source led to: another one was set since, and counts. */
  readonly description: string;
}

/** A symbol: it goes along with copies of a definition in this process, and is no part of its text or hash. */
export const ORIGIN = Symbol.for("toolrig.origin");

/** Undefined for a tool that is not adapted, or whose definition comes from another process. */
export function originOf(definition: ToolDefinition): ToolOrigin | undefined {
  return (definition as { [ORIGIN]?: ToolOrigin })[ORIGIN];
}
