import type { ToolDefinition } from "../tool/definition.ts";
import type { AnyTool } from "../tool/tool.ts";
import { newestFirst, satisfies } from "../tool/version.ts";
import { definitionIn, type ToolSource } from "./source.ts";

/** How a source differs from the one it is made of. */
export interface SourceChanges {
  /** Whether a tool is still there. Asked anew when the version changes. */
  keep?(tool: AnyTool): boolean;
  /** What a tool becomes. Asked once a tool: limits and memories are kept by the tool that runs. */
  change?(tool: AnyTool): AnyTool;
  /** What the model is told of a tool, from what the wrapped source tells. */
  describe?(tool: AnyTool, definition: ToolDefinition): ToolDefinition;
  /** Differs whenever one of the others would answer differently, besides the wrapped source's own version. */
  version?(): number | string;
}

/** A source made of another. Every wrapper of a source is made here, so that none drops what the wrapped one says. */
export function wrapSource(source: ToolSource, changes: SourceChanges): ToolSource {
  const { keep = () => true, change, describe, version } = changes;
  const changed = new WeakMap<AnyTool, AnyTool>();
  const originals = new WeakMap<AnyTool, AnyTool>();
  let listing: { version: number | string; tools: readonly AnyTool[] } | undefined;

  const changedTool = (tool: AnyTool): AnyTool => {
    if (change === undefined) return tool;
    let made = changed.get(tool);
    if (made === undefined) {
      made = change(tool);
      changed.set(tool, made);
      if (made !== tool) originals.set(made, tool);
    }
    return made;
  };
  /** Where the newest is not there, another version may be: it is listed, too. */
  const newestOf = (name: string, range: string | undefined): AnyTool | undefined =>
    source
      .tools()
      .filter(
        (tool) => tool.name === name && (range === undefined || satisfies(tool.version, range)) && keep(tool),
      )
      .sort((a, b) => newestFirst(a.version, b.version))[0];
  const originalOf = (tool: AnyTool) => originals.get(tool) ?? tool;

  return {
    get version() {
      return version === undefined ? source.version : `${source.version}/${version()}`;
    },
    tools() {
      const current = this.version;
      if (listing?.version !== current)
        listing = { version: current, tools: source.tools().filter(keep).map(changedTool) };
      return listing.tools;
    },
    get(name, range) {
      const newest = source.get(name, range);
      const tool = newest === undefined || keep(newest) ? newest : newestOf(name, range);
      return tool === undefined ? undefined : changedTool(tool);
    },
    providerOf: (tool) => source.providerOf?.(originalOf(tool)),
    yields: (tool) => source.yields?.(originalOf(tool)) === true,
    definitionOf(tool) {
      const definition = definitionIn(source, originalOf(tool));
      return describe === undefined ? definition : describe(tool, definition);
    },
  };
}
