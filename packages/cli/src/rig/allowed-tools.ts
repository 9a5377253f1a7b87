import { type AnyTool, compileAllowlist, type ToolSource } from "@toolrig/core";

/** The part of a source that an allowlist leaves: what a model is offered and listings show. */
export function allowedTools(source: ToolSource, allow: readonly string[] | undefined): ToolSource {
  const refusal = compileAllowlist(allow);
  let kept: { version: ToolSource["version"]; tools: readonly AnyTool[] } | undefined;
  const allowed: ToolSource = {
    get version() {
      return source.version;
    },
    tools() {
      const { version } = source;
      if (kept?.version !== version) {
        kept = { version, tools: source.tools().filter((tool) => refusal(tool, source) === undefined) };
      }
      return kept.tools;
    },
    get(name, range) {
      const tool = source.get(name, range);
      return tool === undefined || refusal(tool, source) !== undefined ? undefined : tool;
    },
  };
  if (source.providerOf !== undefined) allowed.providerOf = (tool) => source.providerOf!(tool);
  return allowed;
}
