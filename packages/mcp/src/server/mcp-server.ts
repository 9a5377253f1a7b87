import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable, Writable } from "node:stream";
import { toNodeHandler } from "@modelcontextprotocol/node";
import type { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { newId } from "@toolrig/core/kit";
import type { Serving } from "./call.ts";
import { type Identity, identityOf } from "./caller.ts";
import type { Era } from "./calling-requests.ts";
import { Changes, tellClient } from "./changes.ts";
import { type Connection, connectionFor } from "./connection.ts";
import { DirectLines } from "./direct-lines.ts";
import { gateFor } from "./gate.ts";
import { Http } from "./http.ts";
import { LineTransport } from "./line-transport.ts";
import { Listening } from "./listening.ts";
import { refusingStrange } from "./node-request.ts";
import { type McpServerOptions, partsOf, settingsFrom } from "./options.ts";
import { ownStdout } from "./own-stdout.ts";
import { Pace } from "./pace.ts";
import { sealWith } from "./seal.ts";
import type { ServedRig } from "./served-rig.ts";
import { Sessions } from "./sessions.ts";
import { Subscriptions } from "./subscriptions.ts";
import { Tasks } from "./tasks/tasks.ts";
import { UnderWay } from "./under-way.ts";
import { type Outlet, Unread } from "./unread.ts";
import { Updates } from "./updates.ts";
import { serveView } from "./view.ts";

/** A registry that MCP clients of both eras can use, over whichever transport. */
export interface ServedMcp {
  /** Serves one client over streams, this process's own unless others are given. Resolves when the input has ended. */
  stdio(streams?: { input?: Readable; output?: Writable }): Promise<void>;
  /** Serves one HTTP request. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same for `node:http`. */
  readonly node: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Tells clients that have subscribed to a resource that it is another now. */
  resourceChanged(uri: string): void;
  /** Cancels the calls under way, answers their requests with that, and ends all connections. The rig is left as it is. */
  close(): Promise<void>;
}

/**
 * Serves the tools of a rig to MCP clients, with the same checks, guards and records as for every other caller. Throws
 * `OPTION_INVALID`, naming what is wrong.
 */
export function mcpServer(rig: ServedRig, options: McpServerOptions = {}): ServedMcp {
  const settings = settingsFrom(options);
  const parts = partsOf(rig);
  const views = new Map(
    Object.entries(settings.views).map(([name, view]) => [name, serveView(name, view, parts)]),
  );
  const changes = new Changes(
    parts.tools,
    [...views.values()].some((view) => view.hasPrompts),
    parts.offers,
  );
  const seal = sealWith(settings.secret);
  const serving: Serving = {
    parts,
    seal,
    tasks: parts.waits && new Tasks({ ...parts, waits: parts.waits }, seal, settings),
    updates: new Updates(parts.events),
    answerWithinMs: settings.answerWithinMs,
    held: new Map(),
    underWay: new UnderWay(),
    pace: new Pace(() => parts.executor.unrecorded ?? 0),
    subscriptions: new Subscriptions(parts.offers, (uri) => resourceChanged(uri)),
    called: () => changes.lookSoon(),
  };
  const open = new Map<Server, { connection: Connection; stop: () => void }>();
  const gate = gateFor(settings, views);
  const unread = new Unread();
  const begin = (identity: Identity, runId: string, era: Era, outlet: Outlet) => {
    const connection = connectionFor(serving, settings, identity, runId, era, outlet);
    const { server } = connection;
    open.set(server, { connection, stop: changes.tell(tellClient(server)) });
    return connection;
  };
  const end = (runId: string, server: Server) => {
    open.get(server)?.stop();
    open.get(server)?.connection.end();
    open.delete(server);
    parts.executor.forget?.(runId);
  };
  const sessions = new Sessions(
    settings,
    unread,
    (identity, runId) => begin(identity, runId, "legacy", unread).server,
    end,
  );
  const connect = (identity: Identity) =>
    connectionFor(serving, settings, identity, undefined, "modern", unread);
  const http = new Http(settings, gate, sessions, unread, serving.subscriptions, connect);
  changes.tell(http.handler.notify);
  const resourceChanged = (uri: string) => {
    http.handler.notify.resourceUpdated(uri);
    for (const { connection } of open.values()) connection.resourceChanged(uri);
  };
  const streams = new Set<{ close(): Promise<void> }>();
  const fetch = (request: Request) =>
    http.fetch(request).catch((error: Error) => failed(error, settings.onError));
  return {
    async stdio({ input = process.stdin, output: given } = {}) {
      const view = views.get(settings.view);
      if (view === undefined) return;
      const { output, giveBack } = given === undefined ? ownStdout() : { output: given, giveBack() {} };
      const transport = new LineTransport(input, output, settings.maxMessage);
      const runId = newId("mcp");
      const direct = new DirectLines((message) => void transport.send(message));
      const listening = new Listening(view, serving.subscriptions);
      transport.first = (message) => {
        listening.see(message);
        return direct.take(message);
      };
      const servers = new Set<Server>();
      const factory = ({ era }: { era: Era }) => {
        const connection = begin(identityOf(view), runId, era, transport);
        direct.learnFrom(connection);
        if (era === "modern") connection.listens();
        const { server } = connection;
        servers.add(server);
        return server;
      };
      const handle = serveStdio(factory, { transport, onerror: settings.onError });
      streams.add(handle);
      await transport.ended;
      direct.close();
      listening.close();
      await handle.close();
      streams.delete(handle);
      for (const server of servers) end(runId, server);
      giveBack();
    },
    fetch,
    node: refusingStrange(
      toNodeHandler(
        { fetch },
        { maxRequestBodySize: settings.maxMessage, onerror: settings.onError },
      ) as ServedMcp["node"],
    ),
    resourceChanged,
    async close() {
      changes.close();
      http.refuse();
      for (const call of serving.held.values()) call.cancel();
      await serving.underWay.cancel();
      await Promise.all([...streams].map((each) => each.close()));
      await Promise.all([sessions.close(), http.close()]);
      serving.updates.close();
      serving.subscriptions.close();
      serving.tasks?.close();
    },
  };
}

/** What went wrong here is nothing that the client is told of. */
function failed(error: Error, onError: (error: Error) => void): Response {
  onError(error);
  const body = { jsonrpc: "2.0", id: null, error: { code: -32_603, message: "Internal error" } };
  return Response.json(body, { status: 500 });
}
