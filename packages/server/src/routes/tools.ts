import {
  type AnyTool,
  type ToolDefinition,
  toAiSdk,
  toAnthropic,
  toOpenAI,
  toOpenAIResponses,
} from "@toolrig/core";
import { compileAllowlist, defined, definitionIn, newestAvailable } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import { json } from "../http/reply.ts";
import { type Caller, type Route, route } from "../http/route.ts";
import { list, object, oneOf, ref, shape, text, textUpTo } from "../schemas/shape.ts";
import { mayRead } from "../security/gate.ts";
import { toolLine } from "../views/tool-line.ts";
import type { Page, ToolDetail, ToolLine } from "../wire.ts";
import type { Context } from "./context.ts";
import { recordChange } from "./record-change.ts";

const RECENT = 10;

const SHAPES = {
  toolrig: (definition: ToolDefinition): unknown => definition,
  "ai-sdk": toAiSdk,
  openai: toOpenAI,
  "openai-responses": toOpenAIResponses,
  anthropic: toAnthropic,
} as const;

export function toolRoutes(context: Context): Route[] {
  const { rig, live } = context;
  const { tools } = rig;
  const line = (tool: AnyTool) => toolLine(tools, tool, live.stats.of(tool.name, Date.now()));
  return [
    route<{ query: { q?: string; provider?: string } }>({
      method: "GET",
      path: "/tools",
      id: "listTools",
      tag: "tools",
      summary: "The tools that may be called, with how they do",
      needs: "tools",
      query: { q: textUpTo(200, "Words in the name or the description"), provider: textUpTo(200) },
      answers: {
        200: {
          description: "Sorted by name",
          schema: shape<Page<ToolLine>>({ items: list(ref("ToolLine")), cursor: { maybe: text } }),
        },
      },
      handle({ query: { q, provider }, caller }) {
        const words = (q ?? "")
          .toLowerCase()
          .split(/\s+/)
          .filter((word) => word !== "");
        const items = visibleTo(context, caller)
          .map(line)
          .filter((each) => provider === undefined || each.provider === provider)
          .filter(({ name, description }) => {
            const told = `${name} ${description}`.toLowerCase();
            return words.every((word) => told.includes(word));
          });
        return json({ items });
      },
    }),
    route<{ query: { shape?: keyof typeof SHAPES } }>({
      method: "GET",
      path: "/definitions",
      id: "listDefinitions",
      tag: "tools",
      summary: "What a model is told of the tools, in the shape that an API takes",
      needs: "tools",
      query: { shape: { ...oneOf(...Object.keys(SHAPES)), description: 'Default "toolrig"' } },
      answers: {
        200: {
          description: "Those that could run now. ai-sdk: by name; others: a list",
          schema: { type: "object", properties: { shape: text, tools: {} } },
        },
      },
      handle({ query: { shape: asked = "toolrig" }, caller }) {
        const definitions = visibleTo(context, caller)
          .filter((tool) => tool.available() === true && tool.preference?.enabled !== false)
          .map((tool) => definitionIn(tools, tool));
        const made = definitions.map((definition) => [definition.name, SHAPES[asked](definition)] as const);
        const shaped = asked === "ai-sdk" ? Object.fromEntries(made) : made.map(([, each]) => each);
        return json({ shape: asked, tools: shaped });
      },
    }),
    route({
      method: "GET",
      path: "/tools/{name}",
      id: "getTool",
      tag: "tools",
      summary: "A tool: its definition, how it does, who used it",
      needs: "tools",
      answers: { 200: { description: "The tool", schema: ref("ToolDetail") } },
      handle({ params, caller }) {
        const tool = toolNamed(context, caller, params.name ?? "");
        const overridden = (rig.descriptions ?? rig.store?.descriptions)?.get(tool.name);
        const detail: ToolDetail = {
          ...line(tool),
          definition: definitionIn(tools, tool),
          ...(overridden !== undefined && { ownDescription: tool.definition.description }),
          ...defined({ timeoutMs: tool.timeoutMs }),
          recentInputs: mayRead(caller) ? recentInputs(context, tool.name) : [],
          users: mayRead(caller) ? live.stats.users(tool.name) : [],
        };
        return json(detail);
      },
    }),
    ...descriptionRoutes(context),
  ];
}

function descriptionRoutes(context: Context): Route[] {
  const { rig } = context;
  const store = () => {
    const found = rig.descriptions ?? rig.store?.descriptions;
    if (found === undefined)
      throw new RequestProblem(
        "NOT_CONFIGURED",
        'Descriptions are kept in a store: set store: "toolrig.db" in the config.',
      );
    return found;
  };
  const told = (name: string, caller: Caller) => {
    const tool = toolNamed(context, caller, name);
    const override = store().get(name);
    return json({
      name,
      description: definitionIn(rig.tools, tool).description,
      own: tool.definition.description,
      overridden: override !== undefined,
      history: store()
        .history(name)
        .map(({ version, description, at }) => ({ version, at, description: description ?? null })),
    });
  };
  const answers = { 200: { description: "What is told now, and what was", schema: object } };
  return [
    route({
      method: "GET",
      path: "/tools/{name}/description",
      id: "getDescription",
      tag: "tools",
      summary: "What models are told of a tool, and what they were",
      needs: "read",
      answers,
      handle: ({ params, caller }) => told(params.name ?? "", caller),
    }),
    route<{ body: { description: string } }>({
      method: "PUT",
      path: "/tools/{name}/description",
      id: "setDescription",
      tag: "tools",
      summary: "Tell models something else of a tool",
      needs: "admin",
      body: {
        type: "object",
        properties: { description: { ...textUpTo(20_000), minLength: 1 } },
        required: ["description"],
        additionalProperties: false,
      },
      answers,
      handle({ params, caller, body }) {
        const { name } = toolNamed(context, caller, params.name ?? "");
        const { description } = body;
        store().set(name, description);
        recordChange(context, caller, "description.set", name, { description });
        return told(name, caller);
      },
    }),
    route({
      method: "DELETE",
      path: "/tools/{name}/description",
      id: "resetDescription",
      tag: "tools",
      summary: "Tell models what the code says of a tool again",
      needs: "admin",
      answers,
      handle({ params, caller }) {
        const { name } = toolNamed(context, caller, params.name ?? "");
        store().delete(name);
        recordChange(context, caller, "description.reset", name);
        return told(name, caller);
      },
    }),
  ];
}

/** The newest of each name, of those that the caller may know of. */
function visibleTo({ rig: { tools } }: Context, { scopes, allow }: Caller): AnyTool[] {
  const all = new Map<string, AnyTool>();
  for (const { name } of tools.tools())
    if (!all.has(name)) {
      const tool = newestAvailable(tools, name);
      if (tool !== undefined) all.set(name, tool);
    }
  const seen = [...all.values()];
  if (allow === undefined || scopes.includes("read")) return seen;
  const refusal = compileAllowlist(allow.length === 0 ? null : allow);
  return allow.length === 0 ? [] : seen.filter((tool) => refusal(tool, tools) === undefined);
}

function toolNamed(context: Context, caller: Caller, name: string): AnyTool {
  const found = visibleTo(context, caller).find((tool) => tool.name === name);
  if (found === undefined) throw new RequestProblem("NOT_FOUND", `There is no tool "${name.slice(0, 100)}".`);
  return found;
}

function recentInputs({ rig: { store } }: Context, tool: string): ToolDetail["recentInputs"] {
  const records = store?.records.query({ tool, limit: RECENT }).records ?? [];
  return records.map(({ args, rawArguments, endTime, executionId, result }) => ({
    args: args ?? rawArguments ?? null,
    at: endTime,
    executionId,
    isError: result.isError,
  }));
}
