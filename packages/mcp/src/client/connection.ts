import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { unavailable } from "@toolrig/core";
import { backoffDelay, messageOf } from "@toolrig/core/kit";
import type { ListedOffers } from "../defence/admit-offers.ts";
import { cleanLine } from "../defence/clean-text.ts";
import { askFor, CallsUnderWay } from "./calls-under-way.ts";
import { CARRIES, type Carry, type Era, type Give, type Server } from "./connection-options.ts";
import { askClientFor } from "./give.ts";
import { Lists } from "./lists.ts";
import type { OAuthClient } from "./oauth/oauth-client.ts";
import type { Opener } from "./opener.ts";
import type { Session } from "./session.ts";
import { TaskQuestions } from "./task-questions.ts";
import { Watching } from "./watching.ts";

export type ConnectionState = "connecting" | "ready" | "away" | "closed";

/** What a connection tells its manager, and what it is told of the past. */
export interface ConnectionOwner {
  /** The era that was found before. */
  knownEra(): Promise<Era | undefined> | Era | undefined;
  foundEra(era: Era): Promise<void> | void;
  /** The server's tools and what else it offers, as it sent them. Undefined: that is not known yet. */
  onListed(tools: readonly unknown[], offers: ListedOffers | undefined): Promise<void>;
  /** A resource that is watched is not what it was. */
  onResourceUpdated(uri: string): void;
  onNotice(method: string, params: unknown): void;
}

const RECONNECT = { backoffMs: 500, maxBackoffMs: 30_000 };
const LEAST_PAUSE_MS = 100;
/** How many questions of a server a person sees at once. */
const MAX_AT_ONCE = 3;
/** A session that lasted so long starts the count of attempts anew. */
const STEADY_MS = 10_000;

/** One server, for as long as it is wanted: connected again whenever it is lost, with growing pauses. */
export class Connection {
  readonly name: string;
  readonly server: Server;
  readonly underWay = new CallsUnderWay();
  readonly taskQuestions: TaskQuestions;
  /** The resources that somebody wants to hear of. */
  readonly watching = new Watching();
  readonly #owner: ConnectionOwner;
  readonly #over = new AbortController();
  #state: ConnectionState = "connecting";
  #reason = "it is being connected";
  #session: Session | undefined;
  #waiting: ((session: Session | undefined) => void)[] = [];
  readonly #lists: Lists;
  #isAsked = false;
  #questions = 0;
  #loop: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  readonly #tried: { promise: Promise<void>; resolve: () => void };

  #opener: Opener | undefined;
  readonly oauth: OAuthClient | undefined;

  constructor(name: string, server: Server, owner: ConnectionOwner, oauth?: OAuthClient) {
    this.name = name;
    this.server = server;
    this.oauth = oauth;
    this.taskQuestions = new TaskQuestions(name);
    this.#owner = owner;
    this.#lists = new Lists(this, owner, this.#over.signal);
    let resolve = () => {};
    const promise = new Promise<void>((onTried) => {
      resolve = onTried;
    });
    this.#tried = { promise, resolve };
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Why it is not ready, or undefined. */
  get reason(): string | undefined {
    return this.#state === "ready" ? undefined : this.#reason;
  }

  get era(): Era | undefined {
    return this.#session?.era;
  }

  /** Whether calls can be tasks, whose results are asked for later. */
  get hasTasks(): boolean {
    return this.#session?.hasTasks === true;
  }

  /** Whether the server has something else than tools that is offered to clients in front. */
  carries(kind: Carry | "completions"): boolean {
    const { carry = CARRIES } = this.server;
    const has = this.#session?.has;
    if (kind === "instructions") return carry.includes(kind);
    if (kind === "completions")
      return has?.completions === true && carry.some((each) => each !== "instructions");
    return has?.[kind] === true && carry.includes(kind);
  }

  /** Resolves when it has been tried once, whatever came of it. Never rejects. */
  start(): Promise<void> {
    this.#loop ??= this.#keepUp();
    return this.#tried.promise;
  }

  available(): true | string {
    return this.#state === "ready" ? true : `The MCP server ${this.name} is not there: ${this.#reason}.`;
  }

  /** The session, also one that is still to come. Rejects with `TOOL_UNAVAILABLE` when it does not come in time. */
  async session(signal: AbortSignal): Promise<Session> {
    if (this.#session?.isOpen === true) return this.#session;
    const late = AbortSignal.any([
      signal,
      AbortSignal.timeout(this.server.connectTimeoutMs),
      this.#over.signal,
    ]);
    const session = await new Promise<Session | undefined>((resolve) => {
      this.#waiting.push(resolve);
      late.addEventListener("abort", () => resolve(undefined), { once: true });
      if (late.aborted) resolve(undefined);
    });
    if (session !== undefined) return session;
    throw unavailable(`The MCP server ${this.name} is not there: ${this.#reason}.`);
  }

  /** A session was found to be of no use. */
  lost(session: Session): void {
    if (session === this.#session) void session.close();
  }

  /** Reads the lists anew. Those who ask while they are read all get the one reading that follows, and wait for no other. */
  refresh(): Promise<void> {
    return this.#lists.refresh(this.#session);
  }

  /** Ends it for good: no session, no child, no further attempt. */
  async close(): Promise<void> {
    this.#isAsked = true;
    this.#state = "closed";
    this.#reason = "it was disconnected";
    this.#over.abort();
    this.#wake?.();
    await this.#session?.close();
    await this.#loop;
    await this.#opener?.close();
  }

  /** Somebody has to authorize it. Who waits for the first attempt need not wait for that. */
  needsAuthorization(url: string): void {
    if (this.#state === "ready") return;
    this.#away(`it needs authorization: open ${url}`);
    this.#tried.resolve();
  }

  async #keepUp(): Promise<void> {
    for (let attempt = 1; !this.#isAsked; attempt++) {
      const since = Date.now();
      try {
        await this.#once();
      } catch (error) {
        if (this.oauth?.flow === undefined) this.#away(cleanLine(messageOf(error), 600));
      }
      this.#tried.resolve();
      if (this.#isAsked) break;
      if (Date.now() - since > STEADY_MS) attempt = 1;
      // Asking again before a person has answered would make their answer worthless.
      await this.#unlessOver(this.oauth?.flow?.done.catch(() => {}));
      await this.#pause(LEAST_PAUSE_MS + (backoffDelay(attempt, RECONNECT) ?? 0));
    }
    this.#tried.resolve();
  }

  /** One session, from its beginning to its end. */
  async #once(): Promise<void> {
    const known = await this.#owner.knownEra();
    // The SDK takes a tenth of a second to load: whoever connects to nothing does not wait for it.
    this.#opener ??= new (await import("./opener.ts")).Opener(this.server, this.oauth);
    const session = await this.#opener.open(known, this.#over.signal, {
      onResourceUpdated: (uri) => this.#owner.onResourceUpdated(uri),
      onListsChanged: () =>
        void this.refresh().catch((error) => this.#owner.onNotice("error", { message: messageOf(error) })),
      onAsk: (give, params) => this.#give(give, params),
      onElicit: (asked, signal) => this.taskQuestions.hear(asked, signal) ?? this.#elicit(asked),
      onLog: (log) => {
        this.underWay.log(log);
        this.#owner.onNotice("notifications/message", log);
      },
      onNotice: (method, params) => this.#owner.onNotice(method, params),
    });
    try {
      if (this.#isAsked) return;
      this.#session = session;
      await this.#owner.foundEra(session.era);
      await this.refresh();
      this.#state = "ready";
      this.watching.goOn(session.watched);
      this.oauth?.accepted();
      for (const resolve of this.#waiting.splice(0)) resolve(session);
      this.#tried.resolve();
      await session.closed;
      if (!this.#isAsked) this.#away("its connection was lost, and it is being connected again");
    } finally {
      this.#session = undefined;
      this.watching.rest();
      await session.close();
    }
  }

  #away(reason: string): void {
    if (this.#isAsked) return;
    this.#state = "away";
    this.#reason = reason;
  }

  async #unlessOver(pending: Promise<void> | undefined): Promise<void> {
    if (pending === undefined || this.#isAsked) return;
    await Promise.race([
      pending,
      new Promise<void>((resolve) =>
        this.#over.signal.addEventListener("abort", () => resolve(), { once: true }),
      ),
    ]);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** What a server of the 2025 era asks of the client in front, for the call that it works on. */
  async #give(give: Give, params: unknown): Promise<Record<string, unknown>> {
    const context = this.#questions < MAX_AT_ONCE ? this.underWay.asking() : undefined;
    if (context === undefined) throw new Error(`There is nobody to give ${give}.`);
    context.effect({ type: "custom", name: "mcp.call", data: { connection: this.name } });
    this.#questions += 1;
    try {
      return await askClientFor(this.name, context, give, params);
    } finally {
      this.#questions -= 1;
    }
  }

  /** What a server of the 2025 era asks. The call is held meanwhile, if it must not be made twice. */
  async #elicit(asked: ElicitRequest["params"]): Promise<ElicitResult> {
    const context = this.underWay.asking();
    if (context !== undefined && this.#questions >= MAX_AT_ONCE) return { action: "cancel" };
    if (context === undefined) {
      this.#owner.onNotice("elicitation/create", {
        refused: "no call or calls of several principals are under way, or it has asked too often",
      });
      return { action: "cancel" };
    }
    context.effect({ type: "custom", name: "mcp.call", data: { connection: this.name } });
    this.#questions += 1;
    try {
      return await askFor(this.name, context, asked);
    } catch {
      // The attempt is over: whoever goes on with the call is asked by its next one.
      return { action: "cancel" };
    } finally {
      this.#questions -= 1;
    }
  }
}
