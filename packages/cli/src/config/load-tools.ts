import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type AnyTool, ToolrigError } from "@toolrig/core";
import { globalTools, isTool } from "@toolrig/core/kit";
import { importModule } from "./import-module.ts";

/** The tools of a config's list, in which text is the path of a module. Throws `CONFIG_INVALID`, naming the entry. */
export async function loadTools(list: readonly unknown[], configFile: string): Promise<AnyTool[]> {
  const tools = new Set<AnyTool>();
  for (const [index, entry] of list.entries()) {
    const place = `${configFile}: tools[${index}]`;
    if (isTool(entry)) tools.add(entry);
    else if (typeof entry === "string") {
      for (const tool of await toolsIn(resolve(dirname(configFile), entry), place)) tools.add(tool);
    } else {
      const came = entry === null ? "null" : typeof entry;
      throw new ToolrigError(
        "CONFIG_INVALID",
        `${place} must be a tool made by tool() or the path of a module that exports tools; got ${came}. AI SDK tools are given as { name: tool }.`,
      );
    }
  }
  return [...tools];
}

/** The exports of a module that are tools or lists of tools. One that only registers tools process-wide has none. */
async function toolsIn(file: string, place: string): Promise<AnyTool[]> {
  if (!existsSync(file)) {
    throw new ToolrigError("CONFIG_INVALID", `${place}: there is no module ${file}.`);
  }
  const registered = globalTools.version;
  const exports = Object.values(await importModule(file));
  const tools = exports.flatMap((each) => (Array.isArray(each) ? each : [each])).filter(isTool);
  if (tools.length === 0 && globalTools.version === registered) {
    throw new ToolrigError(
      "CONFIG_INVALID",
      `${place}: ${file} exports no tools. Export what tool() returns: export const searchDocs = tool({ ... }).`,
    );
  }
  return tools;
}
