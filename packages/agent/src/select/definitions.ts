import type { AnyTool, ToolDefinition, ToolSource } from "@toolrig/core";
import { DefinitionList } from "@toolrig/core/kit";

/** Whether a tool may be offered: undefined, or why not. */
export type Allowed = (tool: AnyTool, source: ToolSource) => string | undefined;

/** What a source offers the model at the moment, within what is allowed. Read anew every turn. */
export class Definitions {
  readonly #list: DefinitionList;
  #byName: { from: readonly ToolDefinition[]; index: ReadonlyMap<string, ToolDefinition> } | undefined;

  constructor(source: ToolSource, allowed: Allowed = () => undefined) {
    this.#list = new DefinitionList(source, (tool) => allowed(tool, source) === undefined);
  }

  /** The same array until the list differs. */
  current(): readonly ToolDefinition[] {
    return this.#list.current();
  }

  /** The definition of a tool on the current list. */
  named(name: string): ToolDefinition | undefined {
    const from = this.current();
    if (this.#byName?.from !== from)
      this.#byName = { from, index: new Map(from.map((each) => [each.name, each])) };
    return this.#byName.index.get(name);
  }
}
