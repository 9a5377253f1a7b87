import { Redactor } from "@toolrig/core";
import { METRICS_TYPE, type Metrics, metricsOf } from "@toolrig/telemetry";
import { Hono } from "hono";
import { readJson } from "../http/body.ts";
import { checkBody, queryCheck } from "../http/check-request.ts";
import { openApi } from "../http/open-api.ts";
import { problemOf, problemResponse, RequestProblem } from "../http/problem.ts";
import { json } from "../http/reply.ts";
import type { Ask, Caller, Route } from "../http/route.ts";
import { CallDesk } from "../live/call-desk.ts";
import { Live } from "../live/live.ts";
import { callRoutes } from "../routes/calls.ts";
import type { Context } from "../routes/context.ts";
import { inboxRoutes } from "../routes/inbox.ts";
import { oneCallRoutes } from "../routes/one-call.ts";
import { recordRoutes } from "../routes/records.ts";
import { otherRoutes } from "../routes/rest.ts";
import { runRoutes } from "../routes/runs.ts";
import { serverRoutes } from "../routes/server.ts";
import { toolRoutes } from "../routes/tools.ts";
import { DeniedLog } from "../security/denied-log.ts";
import { checkNeed, Gate } from "../security/gate.ts";
import type { ServedRig } from "../served-rig.ts";
import { Console } from "./console.ts";
import { McpDoor } from "./mcp-door.ts";
import type { Settings } from "./settings.ts";

/** What node gives with a request; absent where one is made without a socket. */
interface Bindings {
  incoming?: { socket: { remoteAddress?: string } };
}

const API = "/api/v1";
const ALWAYS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};
const REFUSED = new Set([401, 403, 421, 429]);

/** Everything that is served, as one function of a request. */
export class App {
  readonly context: Context;
  readonly routes: readonly Route[];
  readonly #settings: Settings;
  readonly #gate: Gate;
  readonly #closing = new AbortController();
  readonly #mcp: McpDoor | undefined;
  readonly #metrics: Metrics;
  readonly #hono: Hono<{ Bindings: Bindings }>;
  #draining = false;

  constructor(rig: ServedRig, settings: Settings) {
    this.#settings = settings;
    const redactor = rig.redactor ?? new Redactor();
    const { hosts, origins, tokens, limits } = settings;
    this.#gate = new Gate({
      hosts,
      origins,
      tokens,
      rate: tokens === undefined ? undefined : limits.rate,
      now: () => Date.now(),
    });
    this.#metrics = metricsOf(rig);
    this.#mcp = settings.mcp ? new McpDoor(rig, settings) : undefined;
    this.context = {
      rig,
      live: new Live(rig, redactor),
      desk: new CallDesk(rig, limits),
      redactor,
      denied: new DeniedLog(settings.onDenied),
      version: settings.version,
      startedAt: Date.now(),
      demo: settings.demo,
      fleet: settings.fleet,
      hasMcp: settings.mcp,
      maxStreams: limits.streams,
      closing: this.#closing.signal,
    };
    this.routes = routesOf(this.context);
    this.#hono = this.#compose();
  }

  /** Never rejects. */
  readonly fetch = async (request: Request, env: Bindings = {}): Promise<Response> =>
    this.#hono.fetch(request, env);

  /** Takes no more calls; what is under way goes on. */
  drain(): void {
    this.#draining = true;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#mcp?.close();
    this.context.live.close();
    this.context.denied.flush();
  }

  #compose(): Hono<{ Bindings: Bindings }> {
    const hono = new Hono<{ Bindings: Bindings }>();
    const document = JSON.stringify(openApi(this.routes, this.#settings.version));
    hono.onError((error, c) => this.#failed(error, c.req.raw, c.env));
    for (const route of this.routes) {
      const serve = this.#server(route);
      hono.on(route.method, API + route.path.replaceAll(/\{(\w+)\}/g, ":$1"), (c) =>
        this.#counted(
          c.req.method,
          API + route.path,
          serve(c.req.raw, c.env, c.req.param() as Record<string, string>),
        ),
      );
    }
    hono.get(`${API}/openapi.json`, (c) =>
      this.#guarded(
        c.req.raw,
        c.env,
        () => new Response(document, { headers: { "content-type": "application/json" } }),
      ),
    );
    hono.all("/mcp", (c) => this.#counted(c.req.method, "/mcp", this.#serveMcp(c.req.raw, c.env)));
    hono.get("/healthz", (c) => this.#guarded(c.req.raw, c.env, () => json({ status: "ok" })));
    hono.get("/readyz", (c) => this.#guarded(c.req.raw, c.env, () => this.#ready()));
    hono.get("/metrics", (c) => this.#guarded(c.req.raw, c.env, () => this.#exposed(c.req.raw, c.env)));
    hono.options("*", (c) => this.#guarded(c.req.raw, c.env, () => new Response(null, { status: 204 })));
    const files = new Console(this.#settings.console);
    hono.all("*", (c) =>
      this.#guarded(c.req.raw, c.env, () => {
        const { pathname } = new URL(c.req.url);
        if (this.#knows(pathname)) throw wrongMethod(c.req.method);
        if (pathname.startsWith("/api/"))
          throw new RequestProblem(
            "NOT_FOUND",
            `There is no ${c.req.method} ${pathname.slice(0, 100)}. ${API}/openapi.json lists what there is.`,
          );
        if (c.req.method !== "GET" && c.req.method !== "HEAD") throw wrongMethod(c.req.method);
        const answer = files.answer(pathname, c.req.raw);
        if (answer !== undefined) return answer;
        throw new RequestProblem("NOT_FOUND", "There is no such file.");
      }),
    );
    return hono;
  }

  /** One operation: let in, checked, done. */
  #server(
    route: Route,
  ): (request: Request, env: Bindings, params: Record<string, string>) => Promise<Response> {
    const query = queryCheck(route.query);
    const { body: schema, needs, bodyOptional = false } = route;
    const { limits } = this.#settings;
    return async (request, env, params) => {
      let caller: Caller | undefined;
      try {
        const origin = this.#gate.checkSource(request.headers);
        caller = needs === "nothing" ? NOBODY : this.#gate.identify(request.headers, remoteOf(env));
        checkNeed(caller, needs);
        if (this.#draining && needs === "call") throw draining();
        const search = request.url.indexOf("?");
        const body = schema === undefined ? undefined : await readJson(request, limits.body);
        if (schema !== undefined && (body !== undefined || !bodyOptional)) checkBody(schema, body);
        const response = await route.handle({
          request,
          caller,
          params,
          query: (search < 0 && route.query === undefined
            ? NO_QUERY
            : query(new URLSearchParams(search < 0 ? "" : request.url.slice(search + 1)))) as Ask["query"],
          body: body as never,
          get signal() {
            return request.signal;
          },
        });
        return finished(response, origin);
      } catch (error) {
        return this.#failed(error, request, env, caller);
      }
    };
  }

  /** What needs no scope, and is still not for every page and every name. */
  async #guarded(
    request: Request,
    env: Bindings,
    answer: () => Response | Promise<Response>,
  ): Promise<Response> {
    try {
      const origin = this.#gate.checkSource(request.headers);
      return finished(await answer(), origin, request.method === "OPTIONS");
    } catch (error) {
      return this.#failed(error, request, env);
    }
  }

  async #serveMcp(request: Request, env: Bindings): Promise<Response> {
    const door = this.#mcp;
    if (door === undefined)
      return this.#failed(new RequestProblem("NOT_FOUND", "MCP is not served here."), request, env);
    let caller: Caller | undefined;
    try {
      this.#gate.checkSource(request.headers);
      caller = this.#gate.identify(request.headers, remoteOf(env));
      checkNeed(caller, "call");
      return await door.serve(caller, request);
    } catch (error) {
      return this.#failed(error, request, env, caller);
    }
  }

  #ready(): Response {
    const { rig } = this.context;
    const health = rig.executor.health();
    const isReady = health.healthy && !this.#draining;
    const { inFlight, queued, recordsDropped } = health;
    return json(
      { status: isReady ? "ready" : "not ready", inFlight, queued, recordsDropped },
      isReady ? 200 : 503,
    );
  }

  #exposed(request: Request, env: Bindings): Response {
    checkNeed(this.#gate.identify(request.headers, remoteOf(env)), "read");
    return new Response(this.#metrics.text(), { headers: { "content-type": METRICS_TYPE } });
  }

  /** Requests of what is declared: there is no end of others. A stream counts until it begins. */
  async #counted(method: string, route: string, answer: Promise<Response>): Promise<Response> {
    const since = performance.now();
    const response = await answer;
    this.#metrics.request({
      method,
      route,
      status: response.status,
      durationMs: performance.now() - since,
    });
    return response;
  }

  #knows(pathname: string): boolean {
    return (
      this.routes.some(({ path }) => pathPattern(path).test(pathname)) ||
      ["/mcp", "/healthz", "/readyz", "/metrics"].includes(pathname)
    );
  }

  #failed(error: unknown, request: Request, env: Bindings | undefined, caller?: Caller): Response {
    const problem = problemOf(error);
    const { status, code } = problem.body;
    if (status === 500) this.#settings.onError(error instanceof Error ? error : new Error(String(error)));
    if (REFUSED.has(status))
      this.context.denied.add({
        at: Date.now(),
        remote: remoteOf(env),
        method: request.method,
        path: new URL(request.url).pathname,
        status,
        code,
        ...(caller !== undefined && { principal: caller.principal.id }),
      });
    return finished(problemResponse(problem), undefined);
  }
}

const NO_QUERY = {};
const NOBODY: Caller = { principal: { id: "nobody" }, acting: { id: "nobody" }, scopes: [], allow: [] };

function remoteOf(env: Bindings | undefined): string {
  return env?.incoming?.socket.remoteAddress ?? "unknown";
}

function routesOf(context: Context): Route[] {
  return [
    ...serverRoutes(context),
    ...toolRoutes(context),
    ...callRoutes(context),
    ...oneCallRoutes(context),
    ...runRoutes(context),
    ...inboxRoutes(context),
    ...recordRoutes(context),
    ...otherRoutes(context),
  ];
}

/** What every answer has; and what a page of another origin needs that may come. */
function finished(response: Response, origin: string | undefined, isPreflight = false): Response {
  const { headers } = response;
  for (const name in ALWAYS) headers.set(name, ALWAYS[name as keyof typeof ALWAYS]);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  if (origin === undefined) return response;
  headers.set("access-control-allow-origin", origin);
  headers.set("vary", "origin");
  if (isPreflight) {
    headers.set("access-control-allow-methods", "GET, POST, PUT, DELETE");
    headers.set(
      "access-control-allow-headers",
      "authorization, content-type, idempotency-key, last-event-id, prefer",
    );
    headers.set("access-control-max-age", "600");
  }
  return response;
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${API}${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

function wrongMethod(method: string): RequestProblem {
  return new RequestProblem(
    "METHOD_NOT_ALLOWED",
    `${method} is not served here. ${API}/openapi.json lists what is.`,
  );
}

function draining(): RequestProblem {
  return new RequestProblem("OVERLOADED", "The server is about to stop and takes no more calls.", {
    retryAfterMs: 5_000,
  });
}
