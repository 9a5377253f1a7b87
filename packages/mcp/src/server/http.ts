import {
  type AuthInfo,
  classifyInboundRequest,
  createMcpHandler,
  isJsonContentType,
  type McpHttpHandler,
  type Server,
} from "@modelcontextprotocol/server";
import { parseMessage, REQUEST_LIMITS, type RefusedMessage } from "../wire/parse-message.ts";
import type { Identity } from "./caller.ts";
import { makesCalls } from "./calling-requests.ts";
import type { Connection } from "./connection.ts";
import { DirectHttp } from "./direct-http.ts";
import { type Gate, refuse } from "./gate.ts";
import type { Settings } from "./options.ts";
import { wrongParamHeader } from "./param-headers.ts";
import type { Sessions } from "./sessions.ts";
import { listenedIn, listeningTo, type Subscriptions } from "./subscriptions.ts";
import type { Unread } from "./unread.ts";

/**
 * Streamable HTTP in both eras: what comes through the gate is read once, and goes to a session or, since 2026-07-28, to a
 * server that serves one request at a time and then the next.
 */
export class Http {
  readonly #settings: Settings;
  readonly #gate: Gate;
  readonly #sessions: Sessions;
  readonly #unread: Unread;
  readonly #subscriptions: Subscriptions;
  readonly #connect: (identity: Identity) => Connection;
  readonly #idle = new WeakMap<Identity, Connection[]>();
  readonly #direct = new DirectHttp();
  readonly handler: McpHttpHandler;
  #closed = false;

  constructor(
    settings: Settings,
    gate: Gate,
    sessions: Sessions,
    unread: Unread,
    subscriptions: Subscriptions,
    connect: (identity: Identity) => Connection,
  ) {
    this.#settings = settings;
    this.#gate = gate;
    this.#sessions = sessions;
    this.#unread = unread;
    this.#subscriptions = subscriptions;
    this.#connect = connect;
    this.handler = createMcpHandler(({ authInfo }) => this.#server(authInfo), {
      legacy: "reject",
      onerror: settings.onError,
    });
  }

  async fetch(request: Request): Promise<Response> {
    if (this.#closed) return refuse(503, "The server is closed.");
    const identity = this.#gate(request);
    if (identity instanceof Response) return identity;
    if (request.method === "GET" || request.method === "DELETE")
      return this.#sessions.serve(request, identity, undefined);
    if (request.method !== "POST")
      return refuse(405, "GET, POST and DELETE are served.", { allow: "GET, POST, DELETE" });
    if (!isJsonContentType(request.headers.get("content-type")))
      return refuse(415, "The content type must be application/json.");
    const body = await bodyOf(request, this.#settings.maxMessage);
    if (body instanceof Response) return body;
    const wrong = isToolCall(request)
      ? wrongParamHeader(identity.view, request.headers, body.value)
      : undefined;
    if (wrong !== undefined) return mismatch(wrong, body.value);
    const direct = this.#direct.answer(request, identity, body.value);
    if (direct !== undefined) return direct;
    if (isOfASession(request, body.value)) return this.#sessions.serve(request, identity, body.value);
    const authInfo = authInfoOf(identity, body.value);
    const listened = listenedIn(body.value);
    if (listened !== undefined) return this.#listen(request, identity, body.value, listened.uris, authInfo);
    const response = await this.handler.fetch(request, { parsedBody: body.value, authInfo });
    if (!isStream(response)) return response;
    return methodOf(body.value) === "subscriptions/listen"
      ? this.#unread.bound(response)
      : this.#unread.watch(request, response);
  }

  /** A stream of changes: of resources, those that the view may read, which are subscribed to behind for as long as it lasts. */
  async #listen(
    request: Request,
    { view }: Identity,
    body: unknown,
    uris: readonly string[],
    authInfo: AuthInfo,
  ): Promise<Response> {
    const { held, release } = await this.#subscriptions.holdSome(view, uris);
    try {
      const parsedBody = listeningTo(body, held);
      const response = await this.handler.fetch(request, { parsedBody, authInfo });
      if (isStream(response)) return this.#unread.bound(response, release);
      release();
      return response;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** From here on nothing is taken. */
  refuse(): void {
    this.#closed = true;
  }

  async close(): Promise<void> {
    await this.handler.close();
  }

  /** A server that has nothing to do, or a new one. One whose call still runs is not used again. */
  #server(authInfo: AuthInfo | undefined): Server {
    const { identity, method } = { ...authInfo?.extra } as unknown as Served;
    const idle = this.#idle.get(identity) ?? [];
    this.#idle.set(identity, idle);
    const last = idle.pop();
    const connection = last?.isCurrent() === true ? last : this.#connect(identity);
    this.#direct.learnFrom(connection, identity);
    const { server } = connection;
    // The SDK answers 404 to a method for which there is no handler at all.
    if (makesCalls(method)) server.fallbackRequestHandler = connection.calling;
    else delete server.fallbackRequestHandler;
    server.onclose = () => {
      if (!connection.isBusy() && idle.length < MAX_IDLE) idle.push(connection);
    };
    return server;
  }
}

const MAX_IDLE = 64;

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** As the headers say, which clients since 2026-07-28 have to send: for what the message says otherwise, the SDK refuses it. */
function isToolCall({ headers }: Request): boolean {
  return headers.get("mcp-method") === "tools/call";
}

const HEADER_MISMATCH = -32_020;

function mismatch(message: string, body: unknown): Response {
  const { id = null } = (body ?? {}) as { id?: unknown };
  return Response.json({ jsonrpc: "2.0", id, error: { code: HEADER_MISMATCH, message } }, { status: 400 });
}

/** What the server for a request is made for. */
interface Served {
  readonly identity: Identity;
  readonly method: unknown;
}

function methodOf(body: unknown): unknown {
  return (body as { method?: unknown } | null)?.method;
}

/** The SDK hands it on as it is. */
function authInfoOf(identity: Identity, body: unknown): AuthInfo {
  const served: Served = { identity, method: methodOf(body) };
  return { token: "", clientId: identity.principal.id, scopes: [], extra: { ...served } };
}

/** What the SDK's own rules say of the era. */
function isOfASession(request: Request, body: unknown): boolean {
  const { headers } = request;
  const outcome = classifyInboundRequest({
    httpMethod: "POST",
    ...optional("protocolVersionHeader", headers.get("mcp-protocol-version")),
    ...optional("mcpMethodHeader", headers.get("mcp-method")),
    ...optional("mcpNameHeader", headers.get("mcp-name")),
    body,
  });
  return outcome.kind === "legacy";
}

function optional<Key extends string>(key: Key, value: string | null): { readonly [Each in Key]?: string } {
  return value === null ? {} : ({ [key]: value } as { [Each in Key]: string });
}

async function bodyOf(request: Request, most: number): Promise<{ value: unknown } | Response> {
  const tooLong = () => refuse(413, `The message has more than ${most} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > most) return tooLong();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.length;
    if (size > most) return tooLong();
    pieces.push(piece);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    return malformed({ code: -32_700, problem: "The message is not UTF-8.", id: null, isAnswer: false });
  }
  const parsed = parseMessage(text, REQUEST_LIMITS);
  return "refused" in parsed ? malformed(parsed.refused) : parsed;
}

function malformed({ code, problem, id, isAnswer }: RefusedMessage): Response {
  const answer = { jsonrpc: "2.0", id: isAnswer ? null : id, error: { code, message: problem } };
  return Response.json(answer, { status: 400 });
}
