import { unavailable } from "../failure/failure.ts";
import type { AnyTool } from "../tool/tool.ts";
import type { ToolSource } from "./source.ts";
import { wrapSource } from "./wrap-source.ts";

/**
 * A source in which tools that require a capability that is not granted are unavailable, with that reason: they are
 * not offered to a model and not run, also by an executor that tries what says it is unavailable.
 */
export function withCapabilities(source: ToolSource, granted: readonly string[]): ToolSource {
  const allowed = new Set(granted);
  return wrapSource(source, {
    change(tool) {
      const missing = tool.safety.requires.filter((each) => !allowed.has(each));
      return missing.length === 0 ? tool : withoutCapabilities(tool, missing);
    },
  });
}

function withoutCapabilities(tool: AnyTool, missing: readonly string[]): AnyTool {
  const reason = `it requires ${missing.join(" and ")}, which is not granted`;
  const refuse = () => unavailable(`${tool.name} is unavailable: ${reason}`);
  return Object.freeze({ ...tool, available: () => reason, execute: refuse, reconcile: undefined });
}
