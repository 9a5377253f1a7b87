import type { Arrival } from "../http/arrival.ts";
import { readJson } from "../http/body.ts";
import { checkBody, queryCheck } from "../http/check-request.ts";
import { RequestProblem } from "../http/problem.ts";
import type { Reply } from "../http/reply.ts";
import type { Ask, Caller, Route } from "../http/route.ts";
import { checkNeed, type Gate, type Seen } from "../security/gate.ts";

/** Serves one request of a route. Throws a problem where it does not; by then `seen` says who came, if that is known. */
export type Operation = (
  arrival: Arrival,
  params: Readonly<Record<string, string>>,
  seen: Seen,
) => Promise<Reply>;

/** Whoever comes where what is asked for protects itself. */
const NOBODY: Caller = { principal: { id: "nobody" }, acting: { id: "nobody" }, scopes: [], allow: [] };

const NO_QUERY: Readonly<Record<string, unknown>> = Object.freeze({});

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
    const caller = needs === "nothing" ? NOBODY : gate.identify(arrival, seen);
    checkNeed(caller, needs);
    if (ignoresKey && arrival.header("idempotency-key") !== undefined) throw noKeys(route);
    const { target } = arrival;
    const search = target.indexOf("?");
    const query = search < 0 ? NO_QUERY : queryOf(new URLSearchParams(target.slice(search + 1)));
    let body: unknown;
    if (schema !== undefined) {
      body = await readJson(arrival, maxBody);
      if (body !== undefined || !bodyOptional) checkBody(schema, body);
    }
    return route.handle(new Asked(gate, arrival, { caller, params, query, body }));
  };
}

/** What only some want to know is found out when it is asked for. */
class Asked implements Ask {
  readonly caller: Caller;
  readonly params: Ask["params"];
  readonly query: Ask["query"];
  readonly body: never;
  readonly #gate: Gate;
  readonly #arrival: Arrival;

  constructor(gate: Gate, arrival: Arrival, checked: Checked) {
    this.#gate = gate;
    this.#arrival = arrival;
    this.caller = checked.caller;
    this.params = checked.params;
    this.query = checked.query as Ask["query"];
    this.body = checked.body as never;
  }

  header(name: string): string | undefined {
    return this.#arrival.header(name);
  }

  get signal(): AbortSignal {
    return this.life.signal;
  }

  get life(): AbortController {
    return this.#arrival.life;
  }

  get ended(): AbortSignal {
    return this.#gate.endOf(this.caller);
  }

  wrongToken(): Error {
    return this.#gate.wrongToken(this.#arrival);
  }
}

interface Checked {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}
