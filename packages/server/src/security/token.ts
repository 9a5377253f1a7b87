import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Principal } from "@toolrig/core";
import { check, settingsOf } from "@toolrig/core/kit";
import type { Caller } from "../http/route.ts";
import type { Scope } from "../wire.ts";

/** A token that clients send, and what it is good for. What is kept of it is its hash. */
export interface ServerToken {
  /** SHA-256 of the token, in hex. */
  sha256: string;
  /** By which it is listed and revoked. Default: the beginning of the hash. */
  id?: string;
  /** On whose behalf calls are made, and who answers. Default: `{ id: "token ID" }`. */
  principal?: Principal;
  /** Default: read and call. */
  scopes?: readonly Scope[];
  /** Epoch milliseconds. Default: never. */
  expiresAt?: number;
}

/** Where tokens come from that may change while the server runs. Asked for every request, so it must be cheap. */
export interface TokenSource {
  current(): readonly ServerToken[];
}

const TOKEN = settingsOf<ServerToken>({
  sha256: true,
  id: true,
  principal: true,
  scopes: true,
  expiresAt: true,
});
const PLAIN_SCOPES: readonly string[] = ["read", "call", "approve", "admin"];

/** A new token: 256 random bits. It is told once. */
export function newToken(): { token: string; sha256: string } {
  const token = `trg_${randomBytes(32).toString("base64url")}`;
  return { token, sha256: hashOf(token).toString("hex") };
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Throws `OPTION_INVALID` for what is no scope. */
export function checkScope(field: string, scope: unknown): Scope {
  const isScope =
    typeof scope === "string" && (PLAIN_SCOPES.includes(scope) || /^(?:tools|provider):[^\s:]+$/.test(scope));
  if (isScope) return scope as Scope;
  throw check.invalid(field, `one of ${PLAIN_SCOPES.join(", ")}, tools:NAME, provider:NAME`, scope);
}

/** Throws `OPTION_INVALID`, naming what is wrong, and nothing of the token itself. */
export function checkToken(field: string, token: ServerToken): ServerToken {
  check.object(field, token, "a token such as { sha256, scopes }");
  check.known(field, token, TOKEN);
  const { sha256, id, principal, scopes, expiresAt } = token;
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/i.test(sha256))
    throw check.invalid(`${field}.sha256`, "the SHA-256 of a token in hex", "something else");
  if (id !== undefined) check.string(`${field}.id`, id);
  if (principal !== undefined && (typeof principal?.id !== "string" || principal.id.trim() === ""))
    throw check.invalid(`${field}.principal`, 'somebody with an id, such as { id: "ada" }', principal);
  if (scopes !== undefined) check.list(`${field}.scopes`, scopes, "a list of scopes");
  for (const [index, scope] of (scopes ?? []).entries()) checkScope(`${field}.scopes[${index}]`, scope);
  if (expiresAt !== undefined && !(Number.isFinite(expiresAt) && expiresAt > 0))
    throw check.invalid(`${field}.expiresAt`, "a time in epoch milliseconds", expiresAt);
  return token;
}

interface Known {
  readonly sha256: string;
  readonly hash: Buffer;
  readonly caller: Caller;
  readonly expiresAt: number;
}

/**
 * Finds whose a token is. Every one is compared with, so that the time taken does not say which is near. The caller of a token is
 * the same object for as long as nothing about the token but its expiry changes, whatever becomes of others.
 */
export class KnownTokens {
  readonly #source: TokenSource;
  #from: readonly ServerToken[] | undefined;
  #known: readonly Known[] = [];

  constructor(source: TokenSource) {
    this.#source = source;
  }

  find(token: string, now: number): Caller | undefined {
    const hash = hashOf(token);
    let found: Known | undefined;
    for (const each of this.#current()) if (timingSafeEqual(each.hash, hash)) found = each;
    return found !== undefined && now < found.expiresAt ? found.caller : undefined;
  }

  /** Whether a caller that was found still would be. */
  isGood(caller: Caller, now: number): boolean {
    return this.#current().some((each) => each.caller === caller && now < each.expiresAt);
  }

  #current(): readonly Known[] {
    const tokens = this.#source.current();
    if (tokens !== this.#from) {
      const before = new Map(this.#known.map((each) => [keyOf(each), each.caller]));
      this.#known = tokens.map((token) => {
        const known = knownOf(token);
        return { ...known, caller: before.get(keyOf(known)) ?? known.caller };
      });
      this.#from = tokens;
    }
    return this.#known;
  }
}

function keyOf({ sha256, caller }: Known): string {
  return `${sha256} ${JSON.stringify(caller)}`;
}

function knownOf({ sha256, id = sha256.slice(0, 8), principal, scopes, expiresAt }: ServerToken): Known {
  const owner = principal ?? { id: `token ${id}` };
  const given: readonly Scope[] = scopes ?? ["read", "call"];
  return {
    sha256,
    hash: Buffer.from(sha256, "hex"),
    expiresAt: expiresAt ?? Number.POSITIVE_INFINITY,
    caller: { principal: owner, acting: owner, scopes: given, tokenId: id, ...allowOf(given) },
  };
}

/** As an executor's allowlist has it. */
function allowOf(scopes: readonly Scope[]): { allow?: readonly string[] } {
  if (scopes.includes("call") || scopes.includes("admin")) return {};
  const allow = scopes.flatMap((scope) =>
    scope.startsWith("tools:")
      ? [`tool:${scope.slice("tools:".length)}`]
      : scope.startsWith("provider:")
        ? [scope]
        : [],
  );
  return { allow };
}
