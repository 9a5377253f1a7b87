import {
  type CallToolResult,
  type GetPromptResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Result,
  type Server,
} from "@modelcontextprotocol/server";
import type { AnyTool, ToolResult } from "@toolrig/core";
import { defined, definitionIn, newId } from "@toolrig/core/kit";
import { readArtifact } from "./artifacts.ts";
import { canBeAsked } from "./asking.ts";
import { type CallContext, callFor, type Serving, type Wanted } from "./call.ts";
import { type Caller, callerAt, type Identity } from "./caller.ts";
import { laterLink, laterOf, readLater } from "./later.ts";
import type { Settings } from "./options.ts";
import { completions, toPromptResult } from "./prompts.ts";
import { type CallParams, QuickServer } from "./quick-server.ts";
import { toContents } from "./resources.ts";
import { beginTask, serveTasks, TASK_CAPABILITIES, taskOf } from "./tasks/serve-tasks.ts";
import type { Tasks } from "./tasks/tasks.ts";
import { toldResult } from "./told-result.ts";
import { CALL_TOOL } from "./view.ts";

/** What an answer to a form must be is checked by the question that it answers. */
const anyAnswer = {
  getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined }),
};

/** One connection, or one request at a time. */
export interface Connection {
  readonly server: QuickServer;
  /** Whether a call still runs that was made over it. */
  isBusy(): boolean;
  /** Tells the client, if it has subscribed to that resource. */
  resourceChanged(uri: string): void;
}

/** The SDK's server for a connection. What it serves is kept outside of it, so that it is cheap to make. */
export function connectionFor(
  serving: Serving,
  settings: Settings,
  identity: Identity,
  runId: string | undefined,
): Connection {
  const { name, version, instructions, answerWithinMs, onError } = settings;
  const { view } = identity;
  const server = new QuickServer(
    { name, version },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
        ...(hasTasks(serving) && TASK_CAPABILITIES),
      },
      ...defined({ instructions }),
      jsonSchemaValidator: anyAnswer as never,
      inputRequired: { maxRounds: MAX_ROUNDS, roundTimeoutMs: answerWithinMs },
      requestState: {
        verify(sealed) {
          const state = serving.seal.open(sealed);
          if (state === undefined)
            throw new Error("it was changed, is too old or was sealed by somebody else");
          return state;
        },
      },
    },
  );
  server.onerror = onError;
  server.underWay = serving.underWay;
  const caller = callerAt(server, identity, runId);
  const subscribed = new Set<string>();
  let busy = 0;
  const counted = async <Result>(work: Promise<Result>): Promise<Result> => {
    busy += 1;
    try {
      return await work;
    } finally {
      busy -= 1;
    }
  };
  server.setRequestHandler("tools/list", () => ({ tools: view.listTools() }));
  server.setRequestHandler("tools/call", ({ params }, ctx) =>
    counted(callTool(server, serving, caller, params.name, params.arguments, ctx)),
  );
  server.quickly = (params, ctx) =>
    canBeAsked(caller.capabilities(ctx)) && ctx.mcpReq.envelope === undefined
      ? undefined
      : counted(callTool(server, serving, caller, params.name, params.arguments, ctx));
  if (hasTasks(serving)) {
    serveTasks(server, serving, caller);
    server.asTask = (params, task) => callAsTask(server, serving, caller, params, task);
  }
  server.setRequestHandler("prompts/list", () => ({ prompts: view.listPrompts() }));
  server.setRequestHandler("prompts/get", ({ params }, ctx) =>
    counted(getPrompt(serving, caller, params.name, params.arguments, ctx)),
  );
  server.setRequestHandler("resources/list", () => ({ resources: view.listResources() }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: view.listTemplates() }));
  server.setRequestHandler("resources/read", ({ params }, ctx) =>
    counted(readResource(serving, caller, params.uri, ctx)),
  );
  server.setRequestHandler("completion/complete", ({ params: { ref, argument } }) => {
    const tool = ref.type === "ref/prompt" && view.isPrompt(ref.name) ? view.source.get(ref.name) : undefined;
    const definition = tool === undefined ? undefined : definitionIn(view.source, tool);
    if (definition === undefined) return { completion: { values: [] } };
    return completions(definition, argument.name, argument.value);
  });
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    if (subscribed.size >= MAX_SUBSCRIPTIONS)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `${MAX_SUBSCRIPTIONS} subscriptions are the most.`,
      );
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    caller.setLevel(params.level);
    return {};
  });
  return {
    server,
    isBusy: () => busy > 0,
    resourceChanged(uri) {
      if (subscribed.has(uri)) void server.sendResourceUpdated({ uri }).catch(onError);
    },
  };
}

const MAX_SUBSCRIPTIONS = 1_000;
/** Questions that one call may ask a client before 2026-07-28, one after the other. */
const MAX_ROUNDS = 100;

async function callTool(
  server: Server,
  serving: Serving,
  caller: Caller,
  name: string,
  given: unknown,
  ctx: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { wanted, tool } = wantedTool(serving, caller, name, given);
  if (tool === undefined) return refuseUnknown(caller, wanted);
  const result = await callFor(serving, caller, wanted, ctx);
  if (isInputRequiredResult(result)) return result;
  if (result.waiting === undefined) return toldResult(server, serving, caller, tool, result);
  const task = mayBeTask(serving, tool, wanted) ? taskOf(serving, caller, wanted, ctx, result) : undefined;
  if (task !== undefined) return task as CallToolResult;
  const told = toldResult(server, serving, caller, tool, result);
  const later = laterOf(result, wanted, caller, serving);
  return later === undefined ? told : { ...told, content: [...told.content, laterLink(later)] };
}

/** A call that is known by its execution can be a task; of others, whoever came back would call them again. */
function mayBeTask({ parts }: Serving, { ledger }: AnyTool, { executor }: Wanted): boolean {
  return ledger && executor === parts.executor;
}

async function callAsTask(
  server: Server,
  serving: Serving & { tasks: Tasks },
  caller: Caller,
  params: CallParams,
  { ttl }: { readonly ttl?: unknown },
): Promise<Result> {
  const { wanted, tool } = wantedTool(serving, caller, params.name, params.arguments);
  if (tool === undefined) return refuseUnknown(caller, wanted);
  if (!mayBeTask(serving, tool, wanted))
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `"${tool.name}" cannot be called as a task.`);
  return beginTask(server, serving, caller, wanted, ttl);
}

function hasTasks(serving: Serving): serving is Serving & { tasks: Tasks } {
  return serving.tasks !== undefined;
}

/** What a client wants called, of what its view has. */
function wantedTool(
  { parts }: Serving,
  { view }: Caller,
  name: string,
  given: unknown,
): { wanted: Wanted; tool: AnyTool | undefined } {
  const method = "tools/call";
  const { searcher } = view;
  if (searcher !== undefined && name === searcher.tool.name)
    return { wanted: { method, name, args: given, executor: searcher.executor }, tool: searcher.tool };
  const inner = searcher !== undefined && name === CALL_TOOL ? (given as InnerCall | undefined) : undefined;
  const called = inner === undefined ? name : String(inner.name);
  const tool = view.source.get(called);
  const args = inner === undefined ? given : inner.arguments;
  const goesOn = tool?.backgroundMs !== undefined;
  return { wanted: { method, name: called, args, executor: parts.executor, goesOn }, tool };
}

/** What the view has not is not there, whatever the rig has. That somebody wanted it is on record. */
async function refuseUnknown(
  { view, principal, runId }: Caller,
  { name, args, executor }: Wanted,
): Promise<never> {
  const message = view.unknown(name);
  const options = { source: "mcp", principal, refusal: { code: "TOOL_NOT_FOUND", message } } as const;
  const call = { id: newId("mcp"), name, arguments: args };
  if (executor.refuses) await executor.call(call, runId === undefined ? options : { ...options, runId });
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

interface InnerCall {
  name?: unknown;
  arguments?: unknown;
}

async function getPrompt(
  serving: Serving,
  caller: Caller,
  name: string,
  args: unknown,
  ctx: CallContext,
): Promise<GetPromptResult | InputRequiredResult> {
  const { view } = caller;
  const tool = view.isPrompt(name) ? view.source.get(name) : undefined;
  if (tool === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name.slice(0, 100)}".`);
  const wanted = { method: "prompts/get", name, args: args ?? {}, executor: serving.parts.executor };
  const result = await callFor(serving, caller, wanted, ctx);
  if (isInputRequiredResult(result)) return result;
  return toPromptResult(definitionIn(view.source, tool), succeeded(result));
}

async function readResource(
  serving: Serving,
  caller: Caller,
  uri: string,
  ctx: CallContext,
): Promise<ReadResourceResult | InputRequiredResult> {
  const { parts, seal } = serving;
  for (const resource of caller.view.resources) {
    const args = caller.view.source.get(resource.tool) === undefined ? undefined : resource.match(uri);
    if (args === undefined) continue;
    const wanted = { method: "resources/read", name: resource.tool, args, executor: parts.executor };
    const result = await callFor(serving, caller, wanted, ctx);
    return isInputRequiredResult(result) ? result : toContents(uri, resource, succeeded(result));
  }
  const artifact = parts.artifacts && (await readArtifact(uri, caller.owner, seal, parts.artifacts));
  const known = artifact ?? (await readLater(uri, caller, serving));
  if (known === undefined) throw new ResourceNotFoundError(uri);
  return known;
}

/** Prompts and resources have no result that says it failed. */
function succeeded(result: ToolResult): ToolResult {
  if (!result.isError && result.waiting === undefined) return result;
  const message = result.failure?.message ?? "It is not over yet.";
  const kind = result.failure?.kind;
  const code = kind === "validation" ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  throw new ProtocolError(code, message, { executionId: result.executionId });
}
