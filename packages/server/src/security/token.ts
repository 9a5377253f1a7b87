import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Principal } from "@toolrig/core";
import { check, declareOptions, type OptionTable, option, principalOption } from "@toolrig/core/kit";
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

const PLAIN_SCOPES: readonly string[] = ["read", "call", "approve", "admin"];

const scopeOption = option.that<Scope>(
  `one of ${PLAIN_SCOPES.join(", ")}, tools:NAME, provider:NAME`,
  (value) =>
    typeof value === "string" &&
    (PLAIN_SCOPES.includes(value) || /^(?:tools:[^\s:]+|provider:\S+)$/.test(value)),
);

export const tokenOptions = declareOptions("a token of a server", {
  sha256: option.tokenHash({ required: true }),
  id: option.id(),
  principal: principalOption(),
  scopes: option.listOf("a list of scopes", scopeOption, { default: ["read", "call"] }),
  expiresAt: option.that(
    "a time in epoch milliseconds",
    (value) => Number.isFinite(value) && (value as number) > 0,
  ),
} satisfies OptionTable<ServerToken>);

/** A new token: 256 random bits. It is told once. */
export function newToken(): { token: string; sha256: string } {
  const token = `trg_${randomBytes(32).toString("base64url")}`;
  return { token, sha256: hashOf(token).toString("hex") };
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Throws `OPTION_INVALID` for a value that is not a scope. */
export function checkScope(field: string, scope: unknown): Scope {
  scopeOption.check(field, scope, check);
  return scope as Scope;
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
  const given = scopes ?? tokenOptions.defaults.scopes;
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
