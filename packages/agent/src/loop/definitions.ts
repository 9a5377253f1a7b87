import type { AnyTool, ToolDefinition, ToolSource } from "@toolrig/core";

/** Whether a tool may be offered: undefined, or why not. */
export type Allowed = (tool: AnyTool, source: ToolSource) => string | undefined;

interface Listing {
  version: number | string;
  tools: readonly AnyTool[];
  definitions: readonly ToolDefinition[];
}

/**
 * What a source offers the model at the moment: the newest version of each tool that is allowed and available. Read
 * anew every turn; the same array comes back until the list differs, so that what is rendered from it can be kept.
 */
export class Definitions {
  readonly source: ToolSource;
  readonly #allowed: Allowed | undefined;
  #listing: Listing | undefined;
  #filtered: { from: readonly ToolDefinition[]; definitions: readonly ToolDefinition[] } | undefined;
  #byName: { from: readonly ToolDefinition[]; index: ReadonlyMap<string, ToolDefinition> } | undefined;

  constructor(source: ToolSource, allowed?: Allowed) {
    this.source = source;
    this.#allowed = allowed;
  }

  current(): readonly ToolDefinition[] {
    const offered = hasDefinitions(this.source) ? this.source.definitions() : this.#list();
    return this.#allowed === undefined ? offered : this.#filter(offered, this.#allowed);
  }

  /** The definition of a tool on the current list. */
  named(name: string): ToolDefinition | undefined {
    const from = this.current();
    if (this.#byName?.from !== from)
      this.#byName = { from, index: new Map(from.map((each) => [each.name, each])) };
    return this.#byName.index.get(name);
  }

  #list(): readonly ToolDefinition[] {
    const { source } = this;
    const tools: AnyTool[] = [];
    let last: string | undefined;
    for (const tool of source.tools()) {
      if (tool.name === last) continue;
      last = tool.name;
      if (tool.available() === true) tools.push(tool);
    }
    const known = this.#listing;
    if (known?.version === source.version && sameItems(known.tools, tools)) return known.definitions;
    const definitions = tools.map((tool) => tool.definition);
    this.#listing = { version: source.version, tools, definitions };
    return definitions;
  }

  #filter(from: readonly ToolDefinition[], allowed: Allowed): readonly ToolDefinition[] {
    if (this.#filtered?.from === from) return this.#filtered.definitions;
    const definitions = from.filter(({ name }) => {
      const tool = this.source.get(name);
      return tool !== undefined && allowed(tool, this.source) === undefined;
    });
    this.#filtered = { from, definitions };
    return definitions;
  }
}

function hasDefinitions(
  source: ToolSource,
): source is ToolSource & { definitions(): readonly ToolDefinition[] } {
  return typeof (source as { definitions?: unknown }).definitions === "function";
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
