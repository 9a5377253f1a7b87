import type { Arrival } from "../http/arrival.ts";
import { readJson } from "../http/body.ts";
import { checkBody, queryCheck } from "../http/check-request.ts";
import { RequestProblem } from "../http/problem.ts";
import type { Ask, Caller, Route } from "../http/route.ts";
import { checkNeed, type Gate, type Seen } from "../security/gate.ts";

/** Serves one request of a route. Throws a problem where it does not; by then `seen` says who came, if that is known. */
export type Operation = (
  arrival: Arrival,
  params: Readonly<Record<string, string>>,
  seen: Seen,
) => Promise<Response>;

/** Whoever comes where what is asked for protects itself. */
const NOBODY: Caller = { principal: { id: "nobody" }, acting: { id: "nobody" }, scopes: [], allow: [] };

/** Whoever sends a key counts on it. */
function noKeys({ method, path }: Route): RequestProblem {
  return new RequestProblem(
    "REQUEST_INVALID",
    `${method} ${path} takes no Idempotency-Key: sent twice, it is done twice. POST /calls takes one.`,
  );
}

/** A route as it is served: who asks, what for, then what it does. */
export function operationOf(route: Route, gate: Gate, maxBody: number): Operation {
  const queryOf = queryCheck(route.query);
  const { body: schema, needs, bodyOptional = false } = route;
  const ignoresKey = route.method === "POST" && route.headers?.["Idempotency-Key"] === undefined;
  return async (arrival, params, seen) => {
    const { request } = arrival;
    const caller = needs === "nothing" ? NOBODY : gate.identify(arrival, seen);
    checkNeed(caller, needs);
    if (ignoresKey && arrival.header("idempotency-key") !== undefined) throw noKeys(route);
    const { url } = request;
    const search = url.indexOf("?");
    const query = search < 0 ? {} : queryOf(new URLSearchParams(url.slice(search + 1)));
    let body: unknown;
    if (schema !== undefined) {
      body = await readJson(arrival, maxBody);
      if (body !== undefined || !bodyOptional) checkBody(schema, body);
    }
    const ask: Ask = {
      header: (name) => arrival.header(name),
      caller,
      params,
      query: query as Ask["query"],
      body: body as never,
      wrongToken: () => gate.wrongToken(arrival),
      get ended() {
        return gate.endOf(caller);
      },
      // Made only where somebody wants to know.
      get signal() {
        return request.signal;
      },
    };
    return route.handle(ask);
  };
}
