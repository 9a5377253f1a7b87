import type { JsonSchema, Principal } from "@toolrig/core";
import type { Scope } from "../wire.ts";
import type { Reply } from "./reply.ts";

/** Who asks, and what they may. */
export interface Caller {
  /** Who answers and decides. */
  readonly principal: Principal;
  /** On whose behalf calls and runs are made. */
  readonly acting: Principal;
  readonly scopes: readonly Scope[];
  /** Names of tools and providers that may be called, where not all may. */
  readonly allow?: readonly string[];
  /** Of the token, where there is one. */
  readonly tokenId?: string;
}

/**
 * What a request needs: a scope; "call", which narrowed tokens have as well; "run", which they have not, as a run calls whatever its
 * model wants; "tools", which whoever may read or call has; "own", the same where whoever may not read gets what is theirs;
 * nothing at all, where what is asked for protects itself.
 */
export type Need = "read" | "call" | "run" | "tools" | "own" | "approve" | "admin" | "nothing";

/** A request that was let in, with what was checked of it. */
export interface Ask {
  /** By its name in lower case. */
  header(name: string): string | undefined;
  readonly caller: Caller;
  /** As the path has them, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Numbers and flags where the schema says so. */
  readonly query: Readonly<Record<string, never>>;
  /** Valid by the route's schema; undefined where it takes none. */
  readonly body: never;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Aborts that signal: for whoever can cancel what the request asked for. */
  readonly life: AbortController;
  /** Aborted when what they came in with is no longer good: for answers that go on for long. */
  readonly ended: AbortSignal;
  /** What a wrong token of something else than the server is answered with: it counts against the address. */
  wrongToken(): Error;
}

/** What a route answers with, for the document. */
export interface Answered {
  readonly description: string;
  readonly schema?: JsonSchema;
  /** Default "application/json". */
  readonly type?: string;
  /** Other types that it may be asked for in. */
  readonly otherTypes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** One operation of the API: what the document says of it and what checks its requests are the same. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below /api/v1, with {names}. */
  readonly path: string;
  /** Unique; clients name their methods by it. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly needs: Need;
  /** Of the query's parameters; others are refused. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Of headers that mean something here. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonSchema;
  /** Whether the body may be left out. Default false. */
  readonly bodyOptional?: boolean;
  readonly answers: Readonly<Record<number, Answered>>;
  handle(ask: Ask): Reply | Promise<Reply>;
}

/** What a request is handed over as, by the route that takes it. */
interface Given {
  query?: unknown;
  body?: unknown;
}

type AskOf<Request extends Given> = Omit<Ask, "query" | "body"> & {
  readonly query: Request["query"] extends undefined ? Readonly<Record<string, never>> : Request["query"];
  readonly body: Request["body"];
};

/** A route whose handler is told the types that its schemas stand for. */
export function route<Request extends Given = Given>(
  declared: Omit<Route, "handle"> & { handle(ask: AskOf<Request>): Reply | Promise<Reply> },
): Route {
  return declared as unknown as Route;
}
