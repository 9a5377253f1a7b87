import { Redactor } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { METRICS_TYPE, type Metrics, metricsOf } from "@toolrig/telemetry";
import { Hono } from "hono";
import { type Arrival, arrivalOf, type Bindings, targetOf } from "../http/arrival.ts";
import { openApi } from "../http/open-api.ts";
import { problemOf, problemReply, RequestProblem } from "../http/problem.ts";
import { json, type Reply, reply, responseOf } from "../http/reply.ts";
import type { Route } from "../http/route.ts";
import { CallDesk } from "../live/call-desk.ts";
import { stopping } from "../live/call-slots.ts";
import { Live } from "../live/live.ts";
import { RunOwners } from "../live/run-owners.ts";
import { Streams } from "../live/server-sent.ts";
import type { Context } from "../routes/context.ts";
import { routesOf } from "../routes/routes.ts";
import { DeniedLog } from "../security/denied-log.ts";
import { checkNeed, Gate, type Seen } from "../security/gate.ts";
import type { ServedRig } from "../served-rig.ts";
import { Console } from "./console.ts";
import { allowing } from "./cross-origin.ts";
import { McpDoor } from "./mcp-door.ts";
import { type Operation, operationOf } from "./operation.ts";
import type { Settings } from "./settings.ts";

const API = "/api/v1";
const OWN_PATHS: readonly string[] = ["/mcp", "/healthz", "/readyz", "/metrics"];
/** What is kept of as denied. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 421, 429]);

type Answer = (arrival: Arrival, seen: Seen, request: Request) => Reply | Promise<Response>;
type Server = Hono<{ Bindings: Bindings }>;

/** Everything that is served, as one function of a request. */
export class App {
  readonly context: Context;
  readonly #settings: Settings;
  readonly #gate: Gate;
  readonly #metrics: Metrics;
  readonly #closing = new AbortController();
  readonly #mcp: McpDoor | undefined;
  readonly #routes: readonly Route[];
  /** Of paths without names in them: nothing needs to be looked for. */
  readonly #direct = new Map<string, (arrival: Arrival) => Promise<Reply>>();
  readonly #hono: Server;

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
    const desk = new CallDesk(rig, limits);
    this.#mcp = settings.mcp ? new McpDoor(rig, desk, settings, this.#gate) : undefined;
    this.context = {
      rig,
      live: new Live(rig, redactor),
      desk,
      owners: new RunOwners(rig),
      redactor,
      denied: new DeniedLog(settings.onDenied),
      version: settings.version,
      startedAt: Date.now(),
      demo: settings.demo,
      fleet: settings.fleet,
      hasMcp: settings.mcp,
      streams: new Streams(limits.streams, this.#closing.signal),
      mostRuns: limits.runs,
    };
    this.#routes = routesOf(this.context);
    this.#hono = this.#compose();
  }

  /** Never rejects. */
  readonly fetch = (request: Request, env: Bindings = {}): Response | Promise<Response> => {
    const { method } = request;
    const target = targetOf(request);
    // What it would say without a body is said only by doing all of it, and some of it does not end.
    if (method === "HEAD" && target.startsWith("/api/"))
      return this.#answered("other", request, env, () => {
        throw wrongMethod("HEAD");
      });
    const direct = this.operation(method, target);
    return direct?.(arrivalOf(request, env)).then(responseOf) ?? this.#hono.fetch(request, env);
  };

  /** The operation of a method and a target without names in its path. What it gives back never rejects. */
  operation(method: string, target: string): ((arrival: Arrival) => Promise<Reply>) | undefined {
    return this.#direct.get(method + target);
  }

  /** Takes no more calls; what is under way goes on. */
  drain(): void {
    this.context.desk.slots.close();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#gate.close();
    await this.#mcp?.close();
    this.context.live.close();
    this.context.denied.flush();
  }

  #compose(): Server {
    const hono: Server = new Hono();
    for (const route of this.#routes) this.#add(hono, route);
    const document = JSON.stringify(openApi(this.#routes, this.#settings.version));
    const serve = (methods: string[], path: string, answer: Answer) =>
      hono.on(methods, path, (c) => this.#answered(path === "*" ? "other" : path, c.req.raw, c.env, answer));
    serve(["GET"], `${API}/openapi.json`, () =>
      reply(document, { headers: { "content-type": "application/json" } }),
    );
    // Whoever looks after the machine asks under whatever name, and learns nothing.
    hono.get("/healthz", () => responseOf(json({ status: "ok" })));
    hono.get("/readyz", () => responseOf(this.#ready()));
    serve(["GET"], "/metrics", (arrival, seen) => this.#tellMetrics(arrival, seen));
    serve(["GET", "POST", "DELETE"], "/mcp", (arrival, seen, request) =>
      this.#serveMcp(arrival, seen, request),
    );
    serve(["OPTIONS"], "*", () => reply(null, { status: 204 }));
    const files = new Console(this.#settings.console);
    hono.all("*", (c) =>
      this.#answered("other", c.req.raw, c.env, (arrival) => this.#serveFile(files, arrival)),
    );
    return hono;
  }

  #add(hono: Server, route: Route): void {
    const operation = operationOf(route, this.#gate, this.#settings.limits.body);
    const path = API + route.path;
    const serve = (arrival: Arrival, params: Readonly<Record<string, string>>) =>
      this.#operate(route, operation, arrival, params);
    if (!path.includes("{")) this.#direct.set(route.method + path, (arrival) => serve(arrival, {}));
    hono.on(route.method, path.replaceAll(/\{(\w+)\}/g, ":$1"), async (c) =>
      responseOf(await serve(arrivalOf(c.req.raw, c.env), c.req.param() as Record<string, string>)),
    );
  }

  async #operate(
    route: Route,
    operation: Operation,
    arrival: Arrival,
    params: Readonly<Record<string, string>>,
  ): Promise<Reply> {
    const since = performance.now();
    const seen: Seen = {};
    let origin: string | undefined;
    let answer: Reply;
    try {
      origin = this.#gate.checkSource(arrival);
      if ((route.needs === "call" || route.needs === "run") && this.context.desk.slots.closed)
        throw stopping();
      answer = await operation(arrival, params, seen);
    } catch (error) {
      answer = this.#failed(error, arrival, seen);
    }
    this.#count(arrival, API + route.path, answer, since);
    if (origin === undefined) return answer;
    return { ...answer, headers: { ...answer.headers, ...allowing(origin, answer.status) } };
  }

  /** What is no operation of the API, and is still not for every page and every name. */
  async #answered(route: string, request: Request, env: Bindings, answer: Answer): Promise<Response> {
    const arrival = arrivalOf(request, env);
    const since = performance.now();
    const seen: Seen = {};
    let origin: string | undefined;
    let response: Response;
    try {
      origin = this.#gate.checkSource(arrival);
      const given = await answer(arrival, seen, request);
      response = given instanceof Response ? given : responseOf(given);
    } catch (error) {
      response = responseOf(this.#failed(error, arrival, seen));
    }
    this.#count(arrival, route, response, since);
    if (origin !== undefined)
      for (const [name, value] of Object.entries(allowing(origin, response.status)))
        response.headers.set(name, value);
    return response;
  }

  #count({ method }: Arrival, route: string, { status }: { status: number }, since: number): void {
    this.#metrics.request({ method, route, status, durationMs: performance.now() - since });
  }

  #serveMcp(arrival: Arrival, seen: Seen, request: Request): Promise<Response> {
    if (this.#mcp === undefined) throw new RequestProblem("NOT_FOUND", "MCP is not served here.");
    const caller = this.#gate.identify(arrival, seen);
    checkNeed(caller, "call");
    return this.#mcp.serve(caller, request);
  }

  #serveFile(files: Console, arrival: Arrival): Reply {
    const { method } = arrival;
    const pathname = pathOf(arrival);
    if (this.#knows(pathname)) throw wrongMethod(method);
    if (pathname.startsWith("/api/"))
      throw new RequestProblem(
        "NOT_FOUND",
        `There is no ${method} ${pathname.slice(0, 100)}. ${API}/openapi.json lists what there is.`,
      );
    if (method !== "GET" && method !== "HEAD") throw wrongMethod(method);
    const answer = files.answer(pathname, arrival);
    if (answer !== undefined) return answer;
    throw new RequestProblem("NOT_FOUND", "There is no such file.");
  }

  #ready(): Reply {
    const isReady = this.context.rig.executor.health().healthy && !this.context.desk.slots.closed;
    return json({ status: isReady ? "ready" : "not ready" }, isReady ? 200 : 503);
  }

  #tellMetrics(arrival: Arrival, seen: Seen): Reply {
    checkNeed(this.#gate.identify(arrival, seen), "read");
    return reply(this.#metrics.text(), { headers: { "content-type": METRICS_TYPE } });
  }

  #knows(pathname: string): boolean {
    return (
      OWN_PATHS.includes(pathname) ||
      this.#routes.some(({ path }) =>
        new RegExp(`^${API}${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname),
      )
    );
  }

  #failed(error: unknown, arrival: Arrival, { caller }: Seen): Reply {
    const problem = problemOf(error, this.context.redactor);
    const { status, code } = problem.body;
    if (status >= 500 && problem !== error)
      this.#settings.onError(error instanceof Error ? error : new Error(String(error)));
    if (REFUSED.has(status))
      this.context.denied.add({
        at: Date.now(),
        remote: arrival.remote,
        method: arrival.method,
        path: pathOf(arrival),
        status,
        code,
        ...defined({ principal: caller?.principal.id }),
      });
    return problemReply(problem);
  }
}

/** As a URL has it. */
function pathOf({ target }: Arrival): string {
  return new URL(target, "http://localhost").pathname;
}

function wrongMethod(method: string): RequestProblem {
  return new RequestProblem(
    "METHOD_NOT_ALLOWED",
    `${method} is not served here. ${API}/openapi.json lists what is.`,
  );
}
