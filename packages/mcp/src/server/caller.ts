import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type Server,
} from "@modelcontextprotocol/server";
import type { CallOptions, Principal } from "@toolrig/core";
import { ownerOf } from "./artifacts.ts";
import type { CallContext } from "./call.ts";
import type { Outlet } from "./unread.ts";
import type { ServedView } from "./view.ts";

/** On whose behalf requests of a connection are served, as this program knows it: nothing of it is the client's claim. */
export interface Identity {
  readonly view: ServedView;
  readonly principal: Principal;
  /** The person at the client, if their word counts for approvals: never the one on whose behalf calls are made. */
  readonly approver: Principal | undefined;
  /** Whose artifacts and calls it may come back for. */
  readonly owner: string;
}

export function identityOf(
  view: ServedView,
  {
    principal = view.principal,
    approver = view.approver,
  }: { principal?: Principal; approver?: Principal } = {},
): Identity {
  // Nobody answers for themselves: they are not asked, and the call waits for somebody else.
  const other = approver?.id === principal.id ? undefined : approver;
  return { view, principal, approver: other, owner: ownerOf(view.name, principal) };
}

/** Who makes a request, and what the client can do. */
export interface Caller extends Identity {
  readonly outlet: Outlet;
  /** The calls of one connection are one run. Absent where every request stands for itself. */
  readonly runId: string | undefined;
  capabilities(ctx: CallContext): ClientCapabilities | undefined;
  /** From which level on the client wants to hear what tools log. Undefined: not at all. */
  logLevel(ctx: CallContext): LoggingLevel | undefined;
}

/** With which its calls are made, all of them. */
export function callOptionsOf({
  principal,
  runId,
  view: { allow },
}: Pick<Caller, "principal" | "runId" | "view">): CallOptions {
  const options: CallOptions = { source: "mcp", principal };
  if (runId !== undefined) options.runId = runId;
  if (allow !== undefined) options.allow = allow;
  return options;
}

/** What a request of 2026-07-28 carries; the SDK has checked it. */
interface Envelope {
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  readonly [LOG_LEVEL_META_KEY]?: LoggingLevel;
}

/** The caller at the other end of a server: with an envelope the request itself says what the client can do. */
export function callerAt(
  server: Server,
  identity: Identity,
  runId: string | undefined,
  outlet: Outlet,
): Caller & {
  setLevel(level: LoggingLevel): void;
} {
  let chosen: LoggingLevel | undefined;
  return {
    ...identity,
    runId,
    outlet,
    capabilities: ({ mcpReq: { envelope } }) =>
      envelope === undefined
        ? server.getClientCapabilities()
        : (envelope as Envelope)[CLIENT_CAPABILITIES_META_KEY],
    logLevel: ({ mcpReq: { envelope } }) =>
      envelope === undefined ? chosen : (envelope as Envelope)[LOG_LEVEL_META_KEY],
    setLevel(level) {
      chosen = level;
    },
  };
}
