import { createHash, timingSafeEqual } from "node:crypto";
import { type Identity, identityOf } from "./caller.ts";
import { hostnameOf } from "./host.ts";
import { LOOPBACK_NAMES, type McpToken, type Settings } from "./options.ts";
import type { ServedView } from "./view.ts";

/** Whether an HTTP request may come in: by a name that is ours, from a page that may, with a token that is known. */
export type Gate = (request: Request) => Identity | Response;

export function gateFor(settings: Settings, views: ReadonlyMap<string, ServedView>): Gate {
  const { hosts, origins, tokens, view } = settings;
  const known = tokens?.map((token) => ({
    hash: Buffer.from(token.sha256, "hex"),
    identity: identityFor(views, token.view ?? view, token),
  }));
  const everybody = identityFor(views, view, {});
  return (request) => {
    const host = hostnameOf(request.headers.get("host") ?? new URL(request.url).host);
    if (host === undefined || !hosts.includes(host)) return refuse(403, "This host name is not served.");
    const origin = request.headers.get("origin");
    if (origin !== null && !mayCome(origin, origins)) return refuse(403, "This origin may not come here.");
    if (known === undefined) return everybody;
    const hash = createHash("sha256").update(bearer(request)).digest();
    let found: Identity | undefined;
    // Every token is compared with, so that the time taken does not say which one is near.
    for (const each of known) if (timingSafeEqual(each.hash, hash)) found = each.identity;
    return found ?? refuse(401, "A token is needed: Authorization: Bearer TOKEN.");
  };
}

function identityFor(
  views: ReadonlyMap<string, ServedView>,
  name: string,
  token: Pick<McpToken, "principal" | "approver">,
): Identity {
  const view = views.get(name);
  if (view === undefined) throw new Error(`There is no view "${name}".`);
  return identityOf(view, token);
}

function bearer(request: Request): string {
  return /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
}

function mayCome(origin: string, allowed: readonly string[] | undefined): boolean {
  if (allowed !== undefined) return allowed.includes(origin.toLowerCase());
  try {
    const { protocol, hostname } = new URL(origin);
    return (protocol === "http:" || protocol === "https:") && LOOPBACK_NAMES.includes(hostname);
  } catch {
    return false;
  }
}

/** An answer before any message has been read. */
export function refuse(status: number, message: string, headers: Record<string, string> = {}): Response {
  const challenge = status === 401 ? { "www-authenticate": "Bearer" } : {};
  const body = { jsonrpc: "2.0", id: null, error: { code: -32_000, message } };
  return Response.json(body, { status, headers: { ...challenge, ...headers } });
}
