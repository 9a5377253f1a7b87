import type { ToolDefinition } from "../tool/definition.ts";
import type { AnyTool } from "../tool/tool.ts";
import { satisfies } from "../tool/version.ts";
import { definitionIn, type ToolSource } from "./source.ts";

/**
 * What a model is told of a source: of each tool the newest version that is available now and that the ranges accept,
 * unless `keep` or its own preference holds it back. The same list comes back until it would differ, so that what is rendered from it can be kept.
 */
export class DefinitionList {
  readonly #source: ToolSource;
  readonly #keep: (tool: AnyTool) => boolean;
  #last:
    | { version: number | string; tools: readonly AnyTool[]; definitions: readonly ToolDefinition[] }
    | undefined;

  constructor(source: ToolSource, keep: (tool: AnyTool) => boolean = () => true) {
    this.#source = source;
    this.#keep = keep;
  }

  current(ranges: Readonly<Record<string, string>> = {}): readonly ToolDefinition[] {
    const { version } = this.#source;
    const tools = this.#offered(ranges);
    const last = this.#last;
    if (last?.version === version && sameItems(last.tools, tools)) return last.definitions;
    const definitions = Object.freeze(tools.map((tool) => definitionIn(this.#source, tool)));
    this.#last = { version, tools, definitions };
    return definitions;
  }

  #offered(ranges: Readonly<Record<string, string>>): AnyTool[] {
    const offered: AnyTool[] = [];
    let decided: string | undefined;
    for (const tool of this.#source.tools()) {
      const { name } = tool;
      if (name === decided) continue;
      const range = Object.hasOwn(ranges, name) ? ranges[name] : undefined;
      if (range !== undefined && !satisfies(tool.version, range)) continue;
      if (tool.available() !== true) continue;
      decided = name;
      if (tool.preference?.enabled !== false && this.#keep(tool)) offered.push(tool);
    }
    return offered;
  }
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
