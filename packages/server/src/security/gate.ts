import type { Arrival } from "../http/arrival.ts";
import { RequestProblem } from "../http/problem.ts";
import type { Caller, Need } from "../http/route.ts";
import { CallerWatch } from "./caller-watch.ts";
import { HostCheck } from "./host.ts";
import { type RateLimit, RateLimiter } from "./rate-limit.ts";
import { KnownTokens, type TokenSource } from "./token.ts";

export interface GateSettings {
  /** Names without port under which requests may come. */
  readonly hosts: readonly string[];
  /** Origins of pages that may come, besides the server's own. */
  readonly origins: readonly string[];
  /** Absent: everybody who can reach it may do everything. */
  readonly tokens: TokenSource | undefined;
  /** Of each principal. Absent: none. */
  readonly rate: RateLimit | undefined;
  now(): number;
}

/** Whoever comes over loopback where no tokens are asked for. Who answers is not who calls: a call is not approved by its caller. */
const LOCAL: Caller = {
  principal: { id: "local" },
  acting: { id: "http" },
  scopes: ["read", "call", "approve", "admin"],
};

/** Wrong tokens of one address before it is told to wait. */
const FAILURES: RateLimit = { limit: 30, perMs: 60_000 };

/** Who came, once that is known. */
export interface Seen {
  caller?: Caller;
}

/** Decides who comes in: by a name that is ours, from a page that may, with a token that is known. */
export class Gate {
  readonly #settings: GateSettings;
  readonly #source: HostCheck;
  readonly #tokens: KnownTokens | undefined;
  readonly #rates: RateLimiter | undefined;
  readonly #failures = new RateLimiter(FAILURES);
  readonly #watch = new CallerWatch((caller) => this.#isGood(caller));

  constructor(settings: GateSettings) {
    this.#settings = settings;
    this.#source = new HostCheck(settings.hosts, settings.origins);
    this.#tokens = settings.tokens && new KnownTokens(settings.tokens);
    this.#rates = settings.rate && new RateLimiter(settings.rate);
  }

  /** By which name, and from which page. Returns the origin of another page that may come. */
  checkSource(arrival: Arrival): string | undefined {
    return this.#source.check(arrival);
  }

  /** Who comes. Throws a problem where they may not; by then `seen` says who came, if that is known. */
  identify(arrival: Arrival, seen: Seen): Caller {
    if (this.#tokens === undefined) return LOCAL;
    const now = this.#settings.now();
    const given = arrival.header("authorization");
    const token = bearerOf(given);
    const caller = token === undefined ? undefined : this.#tokens.find(token, now);
    if (caller === undefined) throw this.#refused(given, arrival.remote, now);
    seen.caller = caller;
    const waitMs = this.#rates?.take(caller.principal.id, now) ?? 0;
    if (waitMs > 0)
      throw new RequestProblem("RATE_LIMITED", "This token has used up what it may send for now.", {
        retryAfterMs: Math.ceil(waitMs),
      });
    return caller;
  }

  /** Aborted within a second when a caller's token is revoked, changed or expires. */
  endOf(caller: Caller): AbortSignal {
    return this.#watch.endOf(caller);
  }

  /** What a token that is not the server's own is answered with where it is wrong: such tokens are guessed no faster. */
  wrongToken({ remote }: Arrival): RequestProblem {
    return this.#refused("given", remote, this.#settings.now());
  }

  close(): void {
    this.#watch.close();
  }

  #isGood(caller: Caller): boolean {
    return this.#tokens === undefined || this.#tokens.isGood(caller, this.#settings.now());
  }

  #refused(given: string | undefined, remote: string, now: number): RequestProblem {
    // A right token is always taken, so that nobody can lock others out who come from the same address.
    const waitMs = this.#failures.take(remote, now);
    if (waitMs > 0)
      return new RequestProblem("RATE_LIMITED", "Too many requests without a valid token came from here.", {
        retryAfterMs: Math.ceil(waitMs),
        close: true,
      });
    return given === undefined
      ? new RequestProblem("TOKEN_MISSING", "Send Authorization: Bearer TOKEN. toolrig token new makes one.")
      : new RequestProblem("TOKEN_INVALID", "The token is not known here, was revoked, or has expired.");
  }
}

function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S{1,512})$/i.exec(header ?? "")?.[1];
}

/** Throws a problem unless the caller has what is needed. */
export function checkNeed({ scopes, allow }: Caller, need: Need): void {
  if (need === "nothing" || scopes.includes("admin")) return;
  if (need === "read" || need === "approve") {
    if (scopes.includes(need)) return;
  } else if (need === "run") {
    if (scopes.includes("call")) return;
  } else if (need === "call" || need === "tools" || need === "own") {
    if (scopes.includes("call") || (allow?.length ?? 0) > 0) return;
    if (need !== "call" && scopes.includes("read")) return;
  }
  const name = need === "tools" || need === "own" ? "read" : need === "run" ? "call" : need;
  throw new RequestProblem(
    "SCOPE_MISSING",
    `The token has no scope "${name}". It has: ${scopes.join(", ") || "none"}.`,
  );
}

/** Whether somebody may look at what is not theirs. */
export function mayRead({ scopes }: Caller): boolean {
  return scopes.includes("read") || scopes.includes("admin");
}
