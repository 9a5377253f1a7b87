import { randomUUID } from "node:crypto";
import {
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Identity } from "./caller.ts";
import { refuse } from "./gate.ts";
import type { Settings } from "./options.ts";
import { MAX_OPEN_REQUESTS, type Unread } from "./unread.ts";

interface Session {
  readonly owner: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  /** Requests under way: a session that serves one is not idle. */
  busy: number;
  /** Ids of requests that are not answered yet, with those that came in the same POST and are answered on the same stream. */
  readonly unanswered: Map<unknown, readonly unknown[]>;
}

/** Clients before 2026-07-28 over HTTP: each has a session, which is its own and ends when it is not used. */
export class Sessions {
  readonly #settings: Settings;
  readonly #unread: Unread;
  readonly #connect: (identity: Identity, runId: string) => Server;
  readonly #onEnd: (runId: string, server: Server) => void;
  readonly #open = new Map<string, Session>();
  readonly #sweep: NodeJS.Timeout;

  constructor(
    settings: Settings,
    unread: Unread,
    connect: (identity: Identity, runId: string) => Server,
    onEnd: (runId: string, server: Server) => void,
  ) {
    this.#settings = settings;
    this.#unread = unread;
    this.#connect = connect;
    this.#onEnd = onEnd;
    const every = Math.min(Math.max(settings.sessionIdleMs / 4, 50), 60_000);
    this.#sweep = setInterval(() => this.#endIdle(), every).unref();
  }

  get count(): number {
    return this.#open.size;
  }

  /** `body` is what a POST brought, read already. */
  async serve(request: Request, identity: Identity, body: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await this.#begin(request, identity, body) : this.#known(id, identity);
    if (session instanceof Response) return session;
    session.usedAt = Date.now();
    if (request.headers.has("last-event-id")) return notResumed();
    const ids = idsOf(body);
    // Answers and cancellations are taken, for they end what is under way.
    const opens = ids.length > 0 || request.method === "GET";
    if (opens && Math.max(session.busy, session.unanswered.size) >= MAX_OPEN_REQUESTS)
      return refuse(
        429,
        `${MAX_OPEN_REQUESTS} requests of the session are under way, or unread; read their answers.`,
      );
    const twice = ids.find((each, index) => session.unanswered.has(each) || ids.indexOf(each) !== index);
    if (twice !== undefined) return usedTwice(twice);
    for (const each of ids) session.unanswered.set(each, ids);
    session.busy += 1;
    try {
      const response = await session.transport.handleRequest(
        request,
        body === undefined ? {} : { parsedBody: body },
      );
      if (!response.ok) for (const each of ids) session.unanswered.delete(each);
      this.#endCancelled(session, body);
      return response.body === null ? response : this.#watched(request, response, session);
    } finally {
      session.busy -= 1;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#open.keys()].map((id) => this.#end(id)));
  }

  /** The session of somebody else is none. */
  #known(id: string, { owner }: Identity): Session | Response {
    const session = this.#open.get(id);
    if (session?.owner === owner) return session;
    return refuse(404, "There is no such session, or it has ended. Begin another with initialize.");
  }

  async #begin(request: Request, identity: Identity, body: unknown): Promise<Session | Response> {
    const begins =
      request.method === "POST" && (body as { method?: unknown } | undefined)?.method === "initialize";
    if (!begins) return refuse(400, "A session is needed: begin one with initialize.");
    this.#endIdle();
    if (this.#open.size >= this.#settings.maxSessions && !(await this.#endOldest()))
      return refuse(503, "There are too many sessions; try again later.", { "retry-after": "60" });
    const runId = randomUUID();
    const server = this.#connect(identity, runId);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => runId,
      maxRequestBodySize: this.#settings.maxMessage,
      onsessionclosed: () => void this.#end(runId),
    });
    await server.connect(transport);
    const unanswered = new Map<unknown, readonly unknown[]>();
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (!("method" in message)) unanswered.delete(message.id);
      return send(message, options);
    };
    const session = { owner: identity.owner, server, transport, usedAt: Date.now(), busy: 0, unanswered };
    this.#open.set(runId, session);
    return session;
  }

  /** A request that was cancelled is not answered, so nothing more comes on its stream. */
  #endCancelled({ unanswered, transport }: Session, body: unknown): void {
    for (const { method, params } of messagesOf(body)) {
      const id = params?.requestId;
      const together = method === "notifications/cancelled" ? unanswered.get(id) : undefined;
      if (together === undefined) continue;
      unanswered.delete(id);
      if (!together.some((each) => unanswered.has(each))) transport.closeSSEStream(id as RequestId);
    }
  }

  /** A stream that is open keeps its session. */
  #watched(request: Request, response: Response, session: Session): Response {
    session.busy += 1;
    const onEnd = () => {
      session.busy -= 1;
      session.usedAt = Date.now();
    };
    return request.method === "GET"
      ? this.#unread.bound(response, onEnd)
      : this.#unread.watch(request, response, onEnd);
  }

  /** Of those that serve nothing, the one that was not used for longest: its client begins another when it comes back. */
  async #endOldest(): Promise<boolean> {
    const idle = [...this.#open].filter(([, { busy }]) => busy === 0);
    const [oldest] = idle.sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest !== undefined) await this.#end(oldest[0]);
    return oldest !== undefined;
  }

  #endIdle(): void {
    const before = Date.now() - this.#settings.sessionIdleMs;
    for (const [id, { usedAt, busy }] of this.#open) if (busy === 0 && usedAt < before) void this.#end(id);
  }

  async #end(id: string): Promise<void> {
    const session = this.#open.get(id);
    if (session === undefined) return;
    this.#open.delete(id);
    this.#onEnd(id, session.server);
    await session.server.close().catch(this.#settings.onError);
  }
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | undefined;
}

/** What a POST brought, as far as it is messages. */
function messagesOf(body: unknown): readonly Message[] {
  const all: unknown[] = Array.isArray(body) ? body : [body];
  return all.filter((each): each is Message => typeof each === "object" && each !== null);
}

/** Of the requests among them. */
function idsOf(body: unknown): readonly unknown[] {
  return messagesOf(body).flatMap(({ id, method }) => (method === undefined || id === undefined ? [] : [id]));
}

/** Nothing is kept to go on from: a client that counted on it would wait for what has passed. */
function notResumed(): Response {
  return refuse(
    400,
    "Streams are not resumed: events have no ids and are not kept. Open a stream without Last-Event-ID, and call as a task to come back for an answer.",
  );
}

/** Its answers could not be told apart: one of the two would never come. */
function usedTwice(id: unknown): Response {
  const message = "A request with this id is under way; each needs an id of its own.";
  return Response.json({ jsonrpc: "2.0", id, error: { code: -32_600, message } }, { status: 400 });
}
