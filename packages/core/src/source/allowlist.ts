import type { AnyTool } from "../tool/tool.ts";
import type { ToolSource } from "./source.ts";

/** Whether a tool may be called at all: undefined, or why not. */
export type Allowlist = (tool: AnyTool, source: ToolSource) => string | undefined;

/** An entry that says what it names is no bare name of a provider. */
const PREFIXED = /^(?:tool|provider):/;

const compiled = new WeakMap<readonly string[], Allowlist>();

/** The same for a list that stays as it is, compiled once. */
export function allowlistOf(list: readonly string[]): Allowlist {
  let allowlist = compiled.get(list);
  if (allowlist === undefined) {
    allowlist = compileAllowlist(list);
    compiled.set(list, allowlist);
  }
  return allowlist;
}

/**
 * Compiles a list of tool names and providers ("provider:NAME", or a bare provider name that no tool has). A name allows the
 * tool of that name, and "tool:NAME" the same without ever meaning a provider; neither allows a tool from outside, which only an entry of its
 * provider does. "provider:NAME/TOOL" allows the one of that provider alone. Empty or absent allows every tool. A malformed list allows nothing: a typo must not
 * open what it was meant to close.
 */
export function compileAllowlist(list: unknown): Allowlist {
  if (list === undefined || list === null) return () => undefined;
  if (!Array.isArray(list) || list.some((entry) => typeof entry !== "string" || entry.trim() === "")) {
    return (tool) =>
      `tool '${tool.name}' is not allowed: the allowlist is malformed, it must be a list of names`;
  }
  if (list.length === 0) return () => undefined;
  const entries = new Set<string>(list);
  return (tool, source) => {
    const provider = source.providerOf?.(tool);
    // A worker's own tools are "local" in its fleet; no registry takes an outside tool under that name.
    const isOutside = !tool.trusted && provider !== undefined && provider !== "local";
    if (!isOutside && (entries.has(tool.name) || entries.has(`tool:${tool.name}`))) return undefined;
    if (provider !== undefined) {
      if (entries.has(`provider:${provider}`) || entries.has(`provider:${provider}/${tool.name}`))
        return undefined;
      if (entries.has(provider) && !PREFIXED.test(provider) && source.get(provider) === undefined)
        return undefined;
    }
    return `tool '${tool.name}' is not allowed`;
  };
}
