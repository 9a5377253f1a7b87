import { ToolrigError } from "../failure/failure.ts";
import { check } from "../options/check.ts";
import { isTool } from "../tool/define-tool.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import { type AiSdkTool, fromAiSdk, isAiSdkTool } from "../tool/from-ai-sdk.ts";
import type { AnyTool } from "../tool/tool.ts";
import { satisfies } from "../tool/version.ts";

/**
 * Anything that can say which tools there are. Read anew for every call and every turn, so a tool that is added to a
 * source is callable at once. `version` changes whenever the answer of one of the others does.
 */
export interface ToolSource {
  readonly version: number | string;
  /** All tools, sorted by name; of one name the newest version first. */
  tools(): readonly AnyTool[];
  /** The newest tool of that name in the version range. */
  get(name: string, range?: string): AnyTool | undefined;
  /** The provider a tool was registered under, where the source knows providers. */
  providerOf?(tool: AnyTool): string | undefined;
  /** Whether a tool steps aside for any other of its name, wherever that comes from. Absent: none does. */
  yields?(tool: AnyTool): boolean;
  /** What the model is told of a tool, where that may differ from the tool's own definition. */
  definitionOf?(tool: AnyTool): ToolDefinition;
}

/** What the model is told of a tool of a source. */
export function definitionIn(source: ToolSource, tool: AnyTool): ToolDefinition {
  return source.definitionOf?.(tool) ?? tool.definition;
}

/**
 * The newest tool of that name in the range that is available now: what a model is told of, and what its call runs. When
 * none is, the newest, which can say why.
 */
export function newestAvailable(source: ToolSource, name: string, range?: string): AnyTool | undefined {
  const newest = source.get(name, range);
  if (newest === undefined || newest.available() === true) return newest;
  return olderAvailable(source, newest, range) ?? newest;
}

/** The newest tool that could take the place of one that is not available. */
export function olderAvailable(source: ToolSource, newest: AnyTool, range?: string): AnyTool | undefined {
  return source.tools().find((tool) => {
    if (tool.name !== newest.name || tool === newest) return false;
    return (range === undefined || satisfies(tool.version, range)) && tool.available() === true;
  });
}

/** Ranks a large set of tools for a request. */
export interface ToolSelector {
  select(query: string, count: number): readonly AnyTool[];
}

/** What tools may be given as: a list, or an AI SDK tool set whose keys are the names. */
export type ToolList = readonly AnyTool[] | Readonly<Record<string, AnyTool | AiSdkTool>>;

export function isToolSource(value: unknown): value is ToolSource {
  const candidate = value as Partial<ToolSource> | null | undefined;
  return typeof candidate?.tools === "function" && typeof candidate.get === "function";
}

/** The tools of a list or tool set, each checked. */
export function toolsOf(list: ToolList): AnyTool[] {
  if (Array.isArray(list)) return list.map((each: unknown) => asTool(each, undefined));
  check.object("tools", list, "a list of tools, { name: tool } or a source of tools");
  return Object.entries(list).map(([name, each]) => asTool(each, name));
}

/** A tool, or an AI SDK tool under `name`. */
export function asTool(value: unknown, name: string | undefined): AnyTool {
  if (isTool(value)) return value;
  if (isAiSdkTool(value)) {
    if (name !== undefined) return fromAiSdk(name, value);
    throw new ToolrigError(
      "TOOL_INVALID_DEFINITION",
      "An AI SDK tool has no name of its own. Pass tools as { name: tool } or add it with { name }.",
    );
  }
  const given = value === null ? "null" : typeof value;
  throw new ToolrigError(
    "TOOL_INVALID_DEFINITION",
    `Expected a tool made by tool() or an AI SDK tool; got ${given}.`,
  );
}

/**
 * Several sources as one: the first that has a name wins, so a later source never shadows an earlier one. A tool that yields
 * wins only where no other source has the name.
 */
export function combineSources(...sources: readonly ToolSource[]): ToolSource {
  const yields = (source: ToolSource, tool: AnyTool) => source.yields?.(tool) === true;
  const yieldsIn = (source: ToolSource, name: string) => {
    const tool = source.get(name);
    return tool !== undefined && yields(source, tool);
  };
  const ownerOf = (name: string) => {
    let aside: ToolSource | undefined;
    for (const source of sources) {
      const tool = source.get(name);
      if (tool === undefined) continue;
      if (!yields(source, tool)) return source;
      aside ??= source;
    }
    return aside;
  };
  return {
    get version() {
      return sources.map((source) => source.version).join(":");
    },
    tools() {
      const owners = new Map<string, ToolSource>();
      const all = sources.flatMap((source) => source.tools().map((tool) => ({ tool, source })));
      for (const { tool, source } of all) {
        const owner = owners.get(tool.name);
        if (owner === undefined || (owner !== source && yieldsIn(owner, tool.name) && !yields(source, tool)))
          owners.set(tool.name, source);
      }
      const owned = all.filter(({ tool, source }) => owners.get(tool.name) === source);
      return owned.map(({ tool }) => tool).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    },
    get(name, range) {
      return ownerOf(name)?.get(name, range);
    },
    providerOf(tool) {
      return ownerOf(tool.name)?.providerOf?.(tool);
    },
    yields(tool) {
      return ownerOf(tool.name)?.yields?.(tool) === true;
    },
    definitionOf(tool) {
      const owner = ownerOf(tool.name);
      if (owner !== undefined) return definitionIn(owner, tool);
      // A tool that is offered beside these, such as one that searches them: whoever has something to say of it says it.
      const told = sources.map((source) => definitionIn(source, tool));
      return told.find((definition) => definition !== tool.definition) ?? tool.definition;
    },
  };
}
