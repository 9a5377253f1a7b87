import type { Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/server";
import {
  type AnyTool,
  type CallExecutor,
  Executor,
  type Principal,
  type ToolDefinition,
  type ToolSource,
} from "@toolrig/core";
import {
  check,
  compileAllowlist,
  DefinitionList,
  definitionIn,
  nearestNames,
  wrapSource,
} from "@toolrig/core/kit";
import { toMcpTool } from "../wire/to-mcp-tool.ts";
import { Behind } from "./behind.ts";
import type { McpResource, McpView } from "./options.ts";
import { toPrompt } from "./prompts.ts";
import { type ReadableResource, readable, toResource, toTemplate } from "./resources.ts";
import type { ServedParts } from "./served-rig.ts";

export const CALL_TOOL = "call_tool";

/** A view, ready to serve. What it lists is rendered once for as long as the tools stay the same. */
export interface ServedView {
  readonly name: string;
  readonly principal: Principal;
  readonly approver: Principal | undefined;
  /** What its calls may use, and the calls that their tools make. */
  readonly allow: readonly string[] | undefined;
  readonly source: ToolSource;
  /** Runs the tool that searches, in a view that has one. */
  readonly searcher: { readonly tool: AnyTool; readonly executor: CallExecutor } | undefined;
  readonly resources: readonly ReadableResource[];
  /** What servers behind the rig have beside tools. */
  readonly behind: Behind;
  listTools(): Tool[];
  listPrompts(): Prompt[];
  listResources(): Resource[];
  listTemplates(): ResourceTemplateType[];
  readonly hasPrompts: boolean;
  /** Whether a URI is of a resource of this view. */
  reads(uri: string): boolean;
  isPrompt(name: string): boolean;
  /** Why there is no tool of that name, with names of this view only. */
  unknown(name: string): string;
}

const NOBODY: Principal = { id: "mcp" };

export function serveView(name: string, view: McpView, parts: ServedParts): ServedView {
  const { principal = NOBODY, approver, allow, search, prompts = [], resources = [] } = view;
  const refusal = compileAllowlist(allow);
  const { tools } = parts;
  const hasTasks = parts.waits !== undefined;
  const offered = new Set([...prompts, ...resources.map(({ tool }) => tool)]);
  const source = wrapSource(tools, { keep: (tool) => refusal(tool, tools) === undefined });
  const listed = wrapSource(source, { keep: (tool) => !offered.has(tool.name) });
  const behind = new Behind(source, parts.offers);
  const searcher = search === undefined ? undefined : searcherOf(search, listed, parts);
  const definitions = new DefinitionList(listed);
  const render = (): readonly ToolDefinition[] => definitions.current();
  const toolList = once(render, (current) =>
    searcher === undefined
      ? current.map((each) => ({
          ...toMcpTool(each, hasTasks && source.get(each.name)?.ledger === true),
          ...behind.told(each.name),
        }))
      : [callTool(), toMcpTool(searcher.tool.definition, false)],
  );
  const asked = new DefinitionList(source, (tool) => offered.has(tool.name));
  const promptList = once(
    () => asked.current(),
    (current) => current.filter((each) => prompts.includes(each.name)).map(toPrompt),
  );
  const own = resources.map(readable);
  const describe = (resource: McpResource) => {
    const tool = source.get(resource.tool);
    return tool === undefined ? undefined : definitionIn(source, tool);
  };
  return {
    name,
    principal,
    approver,
    allow: allow && Object.freeze([...allow]),
    source,
    searcher,
    resources: own,
    behind,
    listTools: toolList,
    listPrompts: () => [...promptList(), ...behind.prompts().filter(({ name }) => !prompts.includes(name))],
    listResources: () => [
      ...own.flatMap((each) => (each.isTemplate ? [] : (toResource(each, describe(each)) ?? []))),
      ...behind.resources(),
    ],
    listTemplates: () => [
      ...own.flatMap((each) => (each.isTemplate ? (toTemplate(each, describe(each)) ?? []) : [])),
      ...behind.templates(),
    ],
    hasPrompts: prompts.length > 0,
    reads: (uri) =>
      behind.resource(uri) !== undefined || own.some((resource) => resource.match(uri) !== undefined),
    isPrompt: (tool) => prompts.includes(tool) && source.get(tool) !== undefined,
    unknown(tool) {
      const near = nearestNames(
        tool,
        render().map((each) => each.name),
        3,
      );
      const hint = near.length === 0 ? "tools/list has those there are" : `near it are ${near.join(", ")}`;
      return `There is no tool "${tool.slice(0, 100)}": ${hint}.`;
    },
  };
}

/** What is made of a list stays until the list is another. */
function once<List extends object, Made>(list: () => List, make: (list: List) => Made): () => Made {
  let last: { of: List; made: Made } | undefined;
  return () => {
    const current = list();
    if (last?.of !== current) last = { of: current, made: make(current) };
    return last.made;
  };
}

/** The search is of this view's tools alone, so it has an executor of its own; its calls are told on the rig's events. */
function searcherOf(
  search: NonNullable<McpView["search"]>,
  tools: ToolSource,
  { events }: ServedParts,
): NonNullable<ServedView["searcher"]> {
  const tool = search(tools);
  check.object("search(tools)", tool, "a tool, such as findToolsTool(tools)");
  return { tool, executor: new Executor({ tools: [tool], events }) };
}

/** What calls a tool that is not listed: the call that is made, judged and recorded is that of the tool itself. */
function callTool(): Tool {
  return {
    name: CALL_TOOL,
    description: "Call a tool that you have found by searching.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", description: "The name of the tool" },
        arguments: { type: "object", description: "What it is called with, as its schema says" },
      },
      required: ["name"],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  };
}
