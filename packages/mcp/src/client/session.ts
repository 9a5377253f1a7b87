import { setTimeout as pause } from "node:timers/promises";
import {
  type CallToolRequest,
  type CallToolResult,
  Client,
  type ElicitRequest,
  type ElicitResult,
  type InputRequiredResult,
  type JSONRPCMessage,
  type jsonSchemaValidator,
  LOG_LEVEL_META_KEY,
  type LoggingMessageNotification,
  type RequestOptions,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import { backoffDelay, defined, messageOf } from "@toolrig/core/kit";
import type { ListedOffers } from "../defence/admit-offers.ts";
import { cleanLine } from "../defence/clean-text.ts";
import type { Limits } from "../defence/limits.ts";
import type { Era, Give } from "./connection-options.ts";
import { Pages } from "./pages.ts";
import { packageVersion, tap, unlessAborted, within } from "./session-transport.ts";
import { WatchedResources } from "./watched-resources.ts";

/** What a server may ask of this side while a session lasts. */
export interface SessionEvents {
  /** A list of the server is not what it was. */
  onListsChanged(): void;
  /** A resource that is watched is not what it was. */
  onResourceUpdated(uri: string): void;
  onElicit(request: ElicitRequest["params"], signal: AbortSignal): Promise<ElicitResult>;
  /** The server asks for what the client in front has. */
  onAsk(give: Give, params: unknown): Promise<Record<string, unknown>>;
  /** The server logs something. */
  onLog(log: ServerLog): void;
  /** Something else came, or something went wrong that ends nothing. */
  onNotice(method: string, params: unknown): void;
}

/** The answer to a call: a result, or what the server wants to know first. */
export type CallAnswer = CallToolResult | InputRequiredResult;

export type ServerLog = LoggingMessageNotification["params"];

/** From this level on servers are asked to log. */
const LOGS_FROM = "info";
const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";
const TASK_META = "toolrig/task";
const ALL_LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const REOPEN = { backoffMs: 1_000, maxBackoffMs: 60_000 };
const INFO = { name: "toolrig", version: packageVersion() };
/** The newest revision of the era without a handshake. */
const REVISION_2026 = "2026-07-28";
/** Deadlines are the pipeline's, by its signal; the SDK's own would be a second rule. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Results are checked by the pipeline, in bounded time. A schema of a server is compiled nowhere else. */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** One connected client, from its handshake to its end. */
export class Session {
  readonly #client: Client;
  readonly #transport: Transport;
  /** What the list's pages hold, as the server sent it: the SDK would refuse all of it for one bad tool. */
  #listed: Pages | undefined;
  #isOpen = true;
  /** Resources that somebody wants to hear of. */
  readonly watched: WatchedResources;
  /** Resolves when it is of no more use, whoever ended it. */
  readonly closed: Promise<void>;

  private constructor(client: Client, transport: Transport) {
    this.#client = client;
    this.#transport = transport;
    this.watched = new WatchedResources(client, () => this.#isOpen);
    this.closed = new Promise((resolve) => {
      client.onclose = () => {
        this.#isOpen = false;
        resolve();
      };
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Rejects, and nothing is left of it, when the server cannot be reached or does not speak the protocol. */
  static async open(
    transport: Transport,
    era: "auto" | Era,
    timeoutMs: number,
    signal: AbortSignal,
    events: SessionEvents,
    give: readonly Give[] = [],
  ): Promise<Session> {
    const changed = { autoRefresh: false, debounceMs: 100, onChanged: () => events.onListsChanged() };
    const client = new Client(INFO, {
      capabilities: {
        elicitation: { form: { applyDefaults: true }, url: {} },
        extensions: { [TASKS_EXTENSION]: {} },
        ...Object.fromEntries(give.map((each) => [each, {}])),
      },
      jsonSchemaValidator: NO_VALIDATOR,
      inputRequired: { autoFulfill: false },
      versionNegotiation: {
        mode: era === "auto" ? "auto" : era === "2026" ? { pin: REVISION_2026 } : "legacy",
        // A server that is silent about the new question is asked the old one, while there is time for it.
        probe: { timeoutMs: Math.ceil(timeoutMs / 2) },
      },
      listChanged: { tools: changed, prompts: changed, resources: changed },
    });
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
      events.onElicit(params, mcpReq.signal),
    );
    for (const each of give) {
      const method = each === "roots" ? "roots/list" : "sampling/createMessage";
      client.setRequestHandler(method, async ({ params }) => (await events.onAsk(each, params)) as never);
    }
    client.setNotificationHandler("notifications/message", ({ params }) => events.onLog(params));
    client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
      events.onResourceUpdated(params.uri),
    );
    client.fallbackNotificationHandler = async ({ method, params }) => events.onNotice(method, params);
    client.onerror = (error) => events.onNotice("error", { message: error.message });
    const session = new Session(client, transport);
    tap(transport, (message) => session.#read(message));
    try {
      // The SDK asks about the era without regard to the signal.
      await unlessAborted(signal, client.connect(transport, { timeout: timeoutMs, signal }));
    } catch (error) {
      await transport.close().catch(() => {});
      throw error;
    }
    void session.#watch(events);
    void session.#askForLogs();
    return session;
  }

  /** A server of the 2026 era tells of changes on a stream of its own; one that ends is opened again, and the list read anew. */
  async #watch(events: SessionEvents): Promise<void> {
    let subscription = this.#client.autoOpenedSubscription;
    for (let attempt = 1; subscription !== undefined; attempt++) {
      if ((await subscription.closed) === "local" || !this.#isOpen) return;
      await pause((backoffDelay(attempt, REOPEN) ?? 0) + REOPEN.backoffMs, undefined, { ref: false });
      if (!this.#isOpen) return;
      const opened: typeof subscription | undefined = await this.#client
        .listen(ALL_LISTS)
        .catch(() => undefined);
      if (opened === undefined) continue;
      subscription = opened;
      events.onListsChanged();
    }
  }

  /** A server of the 2026 era is told with each call; one that does not know of it, or refuses, logs as it likes. */
  async #askForLogs(): Promise<void> {
    if (this.era === "2025" && this.#client.getServerCapabilities()?.logging !== undefined)
      await this.#client.setLoggingLevel(LOGS_FROM).catch(() => {});
  }

  get era(): Era {
    return this.#client.getProtocolEra() === "modern" ? "2026" : "2025";
  }

  get hasTasks(): boolean {
    const { tasks, extensions } = this.#client.getServerCapabilities() ?? {};
    if (this.era === "2026") return extensions?.[TASKS_EXTENSION] !== undefined;
    return tasks?.requests?.tools?.call !== undefined;
  }

  /** What else than tools the server has. */
  get has(): { prompts: boolean; resources: boolean; completions: boolean; subscriptions: boolean } {
    const { prompts, resources, completions } = this.#client.getServerCapabilities() ?? {};
    return {
      prompts: prompts !== undefined,
      resources: resources !== undefined,
      completions: completions !== undefined,
      subscriptions: resources?.subscribe === true,
    };
  }

  /** Every tool of every page, as the server sent it, up to the page that goes beyond a limit. */
  async listTools(limits: Limits, options: RequestOptions): Promise<unknown[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const listed = new Pages(limits);
    this.#listed = listed;
    try {
      await listed.readAll(
        async (params) => (await this.#client.request({ method: "tools/list", params }, options)).nextCursor,
      );
      return listed.items;
    } finally {
      this.#listed = undefined;
    }
  }

  /** What the server offers beside tools, as it sent it. A list that cannot be read is empty. */
  async listOffers(limits: Limits, options: RequestOptions): Promise<ListedOffers> {
    const has = this.has;
    const notes: string[] = [];
    const read = async (isThere: boolean, method: string, key: string) => {
      if (!isThere) return [];
      return this.#listAll(method, key, limits, options).catch((error) => {
        notes.push(`${method} could not be read: ${cleanLine(messageOf(error), 300)}`);
        return [];
      });
    };
    const [prompts, resources, templates] = await Promise.all([
      read(has.prompts, "prompts/list", "prompts"),
      read(has.resources, "resources/list", "resources"),
      read(has.resources, "resources/templates/list", "resourceTemplates"),
    ]);
    return { instructions: this.#client.getInstructions(), prompts, resources, templates, notes };
  }

  /** Every page of a list, up to the page that goes beyond a limit. */
  async #listAll(method: string, key: string, limits: Limits, options: RequestOptions) {
    const listed = new Pages(limits);
    await listed.readAll(async (params) => {
      const answer = await this.request<Record<string, unknown>>(method, params, options);
      listed.add(answer[key]);
      return answer.nextCursor;
    });
    return listed.items;
  }

  /** One `tools/call`. */
  async call(params: CallToolRequest["params"], tool: Tool, options: RequestOptions): Promise<CallAnswer> {
    const own = { timeout: NO_TIMEOUT_MS, allowInputRequired: true, toolDefinition: tool } as const;
    const _meta = this.era === "2025" ? params._meta : { [LOG_LEVEL_META_KEY]: LOGS_FROM, ...params._meta };
    const sent = { ...params, ...defined({ _meta }) };
    return (await this.#client.callTool(sent, { ...options, ...own })) as CallAnswer;
  }

  /** A request that the SDK has no method for. */
  request<Result>(method: string, params: Record<string, unknown>, options: RequestOptions): Promise<Result> {
    return this.#client.request({ method, params } as never, ANYTHING as never, options) as Promise<Result>;
  }

  /** A request that may be answered with what the server wants to know first. */
  ask(
    method: string,
    params: Record<string, unknown>,
    options: RequestOptions,
  ): Promise<Record<string, unknown>> {
    return this.request(method, params, { ...options, timeout: NO_TIMEOUT_MS, allowInputRequired: true });
  }

  /** Resolves when nothing is left of it: no child, no stream. */
  async close(): Promise<void> {
    const { terminateSession } = this.#transport as { terminateSession?(): Promise<void> };
    if (terminateSession !== undefined) await within(terminateSession.call(this.#transport), 1_000);
    await this.#client.close().catch(() => {});
    await this.#transport.close().catch(() => {});
  }

  #read(message: JSONRPCMessage): JSONRPCMessage {
    if (!("result" in message)) return message;
    const { result } = message as { result: Record<string, unknown> };
    if (result?.resultType === "task") return { ...message, result: withTask(result) } as JSONRPCMessage;
    if (this.#listed === undefined || !Array.isArray(result?.tools)) return message;
    this.#listed.add(result.tools);
    return { ...message, result: { ...result, tools: [] } } as JSONRPCMessage;
  }
}

/** The SDK knows no task for a result: it is handed through as a result without content. */
function withTask(task: Record<string, unknown>) {
  return { resultType: "complete", content: [], _meta: { [TASK_META]: task } };
}

/** What a server began instead of answering. */
export function taskIn({ _meta }: CallAnswer): StartedTask | undefined {
  const task = _meta?.[TASK_META] as Partial<StartedTask> | undefined;
  return typeof task?.taskId === "string" ? (task as StartedTask) : undefined;
}

export interface StartedTask {
  readonly taskId: string;
  readonly statusMessage?: unknown;
}

const ANYTHING = {
  "~standard": { version: 1, vendor: "toolrig", validate: (value: unknown) => ({ value }) },
};
