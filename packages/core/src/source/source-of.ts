import { globalTools } from "./global-tools.ts";
import { Registry } from "./registry.ts";
import { isToolSource, type ToolList, type ToolSource } from "./source.ts";

/** Tools in whatever form they were given, as a source. Not given: those registered for the whole process. */
export function sourceOf(tools: ToolList | ToolSource | undefined): ToolSource {
  if (tools === undefined) return globalTools;
  return isToolSource(tools) ? tools : new Registry(tools);
}
