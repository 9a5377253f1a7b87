import { randomBytes } from "node:crypto";
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { failure } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { AuthOptions } from "../connection-options.ts";
import type { CallbackListener } from "./callback-listener.ts";
import type { CredentialOwner, TokenStore } from "./token-store.ts";

/** What a person is shown who shall authorize a connection. */
export interface AuthorizationRequest {
  connection: string;
  principal: string;
  /** To be opened by the person, in a browser. Chosen by the server's authorization server. */
  url: string;
}

/** A person who was asked. */
export interface Flow {
  request: AuthorizationRequest;
  /** Resolves when there are tokens. Rejects when there will be none. */
  done: Promise<void>;
}

/** How often a person is asked before the server has taken what came of it. */
const MAX_ASKED = 3;
/** How long a person has. */
const PATIENCE_MS = 15 * 60_000;

/**
 * This side of OAuth for one connection: who it is, what it was given, and whom it asks. The SDK does the protocol. Tokens that
 * callers of ours came with are not known here, and so are never sent on.
 */
export class OAuthClient implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  readonly #owner: CredentialOwner;
  readonly #options: AuthOptions;
  readonly #store: TokenStore;
  readonly #listener: CallbackListener;
  readonly #onAuthorize: (request: AuthorizationRequest) => void;
  #redirectUrl = "http://127.0.0.1/callback";
  #state = "";
  #verifier = "";
  #discovery: OAuthDiscoveryState | undefined;
  #flow: Flow | undefined;
  #stopWaiting = () => {};
  #asked = 0;
  #finish: (answer: URLSearchParams) => Promise<void> = async () => {};

  constructor(
    owner: CredentialOwner,
    options: AuthOptions,
    store: TokenStore,
    listener: CallbackListener,
    onAuthorize: (request: AuthorizationRequest) => void,
  ) {
    if (options.clientMetadataUrl !== undefined) this.clientMetadataUrl = options.clientMetadataUrl;
    this.#owner = owner;
    this.#options = options;
    this.#store = store;
    this.#listener = listener;
    this.#onAuthorize = onAuthorize;
  }

  /** Called before a flow may begin: the address to come back to is part of what is registered. */
  async prepare(): Promise<void> {
    this.#redirectUrl = await this.#listener.open(this.#options.callbackPort);
  }

  /** Who makes tokens of an answer: the transport that was asked for them. */
  finishWith(finish: (answer: URLSearchParams) => Promise<void>): void {
    this.#finish = finish;
  }

  /** The flow that waits for a person. */
  get flow(): Flow | undefined {
    return this.#flow;
  }

  /** Nobody is waited for any more. */
  end(): void {
    this.#stopWaiting();
    this.#flow = undefined;
    // The server may name another authorization server next time.
    this.#discovery = undefined;
  }

  /** The answer of the authorization server, where a person brings it by hand. False when nobody waits for it. */
  bring(address: string): boolean {
    return URL.canParse(address) && this.#listener.take(new URL(address).searchParams);
  }

  get redirectUrl(): string {
    return this.#redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope } = this.#options;
    return {
      client_name: "Toolrig",
      redirect_uris: [this.#redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...defined({ scope }),
    };
  }

  state(): string {
    this.#state = randomBytes(32).toString("base64url");
    return this.#state;
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.#options;
    if (clientId !== undefined) return { client_id: clientId, ...defined({ client_secret: clientSecret }) };
    const { clients, issuer } = this.#store.get(this.#owner);
    return clients[context?.issuer ?? issuer ?? ""];
  }

  saveClientInformation(
    information: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): void {
    const kept = this.#store.get(this.#owner);
    kept.clients[context?.issuer ?? ""] = information;
    this.#store.set(this.#owner, kept);
  }

  tokens(context?: OAuthClientInformationContext): StoredOAuthTokens | undefined {
    const { tokens, issuer } = this.#store.get(this.#owner);
    return tokens[context?.issuer ?? issuer ?? ""];
  }

  saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): void {
    const kept = this.#store.get(this.#owner);
    const issuer = context?.issuer ?? "";
    kept.tokens[issuer] = tokens;
    this.#store.set(this.#owner, { ...kept, issuer });
  }

  /** The server took what it was shown. */
  accepted(): void {
    this.#asked = 0;
  }

  redirectToAuthorization(url: URL): void {
    this.#asked += 1;
    if (this.#asked > MAX_ASKED)
      throw failure({ kind: "denied", message: "it was authorized and still refuses" });
    if (url.protocol !== "https:" && url.protocol !== "http:")
      throw failure({ kind: "denied", message: "The authorization server's address is no web address." });
    this.#stopWaiting();
    const { connection, principal } = this.#owner;
    const request = { connection, principal, url: url.href };
    const answer = new Promise<URLSearchParams>((resolve, reject) => {
      const stop = this.#listener.expect(this.#state, resolve);
      const timer = setTimeout(() => reject(new Error("nobody authorized it in time")), PATIENCE_MS);
      timer.unref();
      this.#stopWaiting = () => {
        stop();
        clearTimeout(timer);
        reject(new Error("its authorization was given up"));
      };
    });
    const done = answer.then(this.#finish).finally(() => {
      if (this.#flow === flow) this.end();
    });
    // Whoever waits for it is told; nobody may.
    done.catch(() => {});
    const flow: Flow = { request, done };
    this.#flow = flow;
    this.#onAuthorize(request);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (scope === "all" || scope === "verifier") this.#verifier = "";
    if (scope === "all" || scope === "discovery") this.#discovery = undefined;
    if (scope === "verifier" || scope === "discovery") return;
    const kept = this.#store.get(this.#owner);
    this.#store.set(this.#owner, {
      clients: scope === "tokens" ? kept.clients : {},
      tokens: scope === "client" ? kept.tokens : {},
    });
  }
}
