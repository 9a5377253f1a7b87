import { type Implementation, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { defined } from "@toolrig/core/kit";
import type { Serving } from "./call.ts";
import { hasTasks } from "./call-tool.ts";
import { callerAt, type Identity } from "./caller.ts";
import { type CallingHandler, callingHandler, type Era, type RequestContext } from "./calling-requests.ts";
import { complete } from "./complete.ts";
import type { Settings } from "./options.ts";
import { MAX_SUBSCRIPTIONS } from "./subscriptions.ts";
import { serveTasks, TASK_CAPABILITIES } from "./tasks/serve-tasks.ts";
import type { Outlet } from "./unread.ts";

/** Never used, since forms are not sent by the SDK's `elicitInput`: the SDK's default validator costs more than a call to make. */
const anyAnswer = {
  getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined }),
};

/** One connection, or one request at a time. */
export interface Connection {
  readonly server: Server;
  readonly era: Era;
  readonly serverInfo: Implementation;
  /** Answers requests that make calls: the server's fallback handler. */
  readonly calling: CallingHandler;
  /** Called with every call that the SDK has let through. */
  onCall?: (ctx: RequestContext) => void;
  /** Whether a call still runs that was made over it. */
  isBusy(): boolean;
  /** Tells the client, if it has subscribed to that resource. */
  resourceChanged(uri: string): void;
  /** It is told of every resource from now on: the SDK knows which ones its client listens to. */
  listens(): void;
  /** Whether what it says of itself at the beginning is still so. */
  isCurrent(): boolean;
  /** Gives up what its client has subscribed to. */
  end(): void;
}

/** The SDK's server for a connection. What it serves is kept outside of it, so that it is cheap to make. */
export function connectionFor(
  serving: Serving,
  settings: Settings,
  identity: Identity,
  runId: string | undefined,
  era: Era,
  outlet: Outlet,
): Connection {
  const { name, version, onError } = settings;
  const { view } = identity;
  const offered = serving.parts.offers?.version;
  const instructions = view.behind.instructions(settings.instructions);
  const serverInfo = { name, version };
  const server = new Server(serverInfo, {
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
  });
  server.onerror = onError;
  const caller = callerAt(server, identity, runId, outlet);
  const subscribed = new Map<string, () => void>();
  let busy = 0;
  let listens = false;
  let isOver = false;
  const calling = callingHandler(server, serving, caller, era, onError);
  if (hasTasks(serving)) serveTasks(server, serving, caller);
  server.setRequestHandler("tools/list", () => ({ tools: view.listTools() }));
  server.setRequestHandler("prompts/list", () => ({ prompts: view.listPrompts() }));
  server.setRequestHandler("resources/list", () => ({ resources: view.listResources() }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: view.listTemplates() }));
  server.setRequestHandler("completion/complete", ({ params }, { mcpReq }) =>
    complete(serving, caller, params, mcpReq.signal),
  );
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    if (subscribed.has(uri)) return {};
    if (subscribed.size >= MAX_SUBSCRIPTIONS)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `${MAX_SUBSCRIPTIONS} subscriptions are the most.`,
      );
    const release = await serving.subscriptions.hold(view, uri);
    if (isOver) release();
    subscribed.get(uri)?.();
    subscribed.set(uri, release);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.get(uri)?.();
    subscribed.delete(uri);
    return {};
  });
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    caller.setLevel(params.level);
    return {};
  });
  const connection: Connection = {
    server,
    era,
    serverInfo,
    async calling(request, ctx) {
      busy += 1;
      try {
        if (request.method === "tools/call") connection.onCall?.(ctx);
        return await calling(request, ctx);
      } finally {
        busy -= 1;
      }
    },
    isBusy: () => busy > 0,
    resourceChanged(uri) {
      // One that listens by a stream of its own has its filter there.
      if (subscribed.has(uri) || (listens && view.reads(uri)))
        void server.sendResourceUpdated({ uri }).catch(onError);
    },
    isCurrent: () => serving.parts.offers?.version === offered,
    listens() {
      listens = true;
    },
    end() {
      isOver = true;
      for (const release of subscribed.values()) release();
      subscribed.clear();
    },
  };
  server.fallbackRequestHandler = connection.calling;
  return connection;
}
