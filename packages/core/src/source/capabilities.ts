import { unavailable } from "../failure/failure.ts";
import type { AnyTool } from "../tool/tool.ts";
import type { ToolSource } from "./source.ts";

/**
 * A source in which tools that require a capability that is not granted are unavailable, with that reason: they are
 * not offered to a model and not run, also by an executor that tries what says it is unavailable.
 */
export function withCapabilities(source: ToolSource, granted: readonly string[]): ToolSource {
  const allowed = new Set(granted);
  const restricted = new WeakMap<AnyTool, AnyTool>();
  const original = new WeakMap<AnyTool, AnyTool>();

  const restrict = (tool: AnyTool): AnyTool => {
    const missing = tool.safety.requires.filter((each) => !allowed.has(each));
    if (missing.length === 0) return tool;
    let known = restricted.get(tool);
    if (known === undefined) {
      const reason = `it requires ${missing.join(" and ")}, which is not granted`;
      const refuse = () => unavailable(`${tool.name} is unavailable: ${reason}`);
      known = Object.freeze({ ...tool, available: () => reason, execute: refuse, reconcile: undefined });
      restricted.set(tool, known);
      original.set(known, tool);
    }
    return known;
  };

  const limited: ToolSource = {
    get version() {
      return source.version;
    },
    tools: () => source.tools().map(restrict),
    get(name, range) {
      const tool = source.get(name, range);
      return tool === undefined ? undefined : restrict(tool);
    },
  };
  if (source.providerOf !== undefined)
    limited.providerOf = (tool) => source.providerOf!(original.get(tool) ?? tool);
  return limited;
}
