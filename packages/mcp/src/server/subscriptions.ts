import { setTimeout as pause } from "node:timers/promises";
import { ProtocolError, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { Offers } from "../client/offers.ts";
import { errorOf } from "../wire/from-mcp-error.ts";
import { behindUri, gatewayUri } from "../wire/gateway-uri.ts";
import type { ServedView } from "./view.ts";

/** What clients have subscribed to of servers behind the rig: a server is subscribed to while a client wants it. */
export class Subscriptions {
  readonly #offers: Offers | undefined;
  readonly #stop: (() => void) | undefined;

  /** `told` of resources that changed, by the URI that clients know. */
  constructor(offers: Offers | undefined, told: (uri: string) => void) {
    this.#offers = offers;
    this.#stop = offers?.onUpdated((connection, own) => told(gatewayUri(connection, own)));
  }

  /** Holds one until the function that is given back is called. Rejects for what the view cannot read, and when its server refuses. */
  async hold(view: ServedView, uri: string): Promise<() => void> {
    if (view.behind.resource(uri) !== undefined) {
      const { connection = "", own = "" } = behindUri(uri) ?? {};
      return this.#watch(connection, own);
    }
    if (!view.reads(uri)) throw new ResourceNotFoundError(uri);
    return nothing;
  }

  async #watch(connection: string, own: string): Promise<() => void> {
    try {
      return (await this.#offers?.watch(connection, own)) ?? nothing;
    } catch (error) {
      const { code, message, data } = errorOf(error);
      throw new ProtocolError(code, message, data);
    }
  }

  /** Holds those of a list that can be held, and says which. */
  async holdSome(
    view: ServedView,
    uris: readonly string[],
  ): Promise<{ held: string[]; release: () => void }> {
    const held: string[] = [];
    const releases: (() => void)[] = [];
    const holding = [...new Set(uris.slice(0, MAX_SUBSCRIPTIONS))].map(async (uri) => {
      const holds = this.hold(view, uri).catch(() => undefined);
      // A server that does not answer holds up nobody who listens to others: it counts as subscribed to, and may still answer.
      const release = await Promise.race([holds, pause(ANSWER_MS, letGo(holds), { ref: false })]);
      if (release === undefined) return;
      held.push(uri);
      releases.push(release);
    });
    await Promise.all(holding);
    const release = () => {
      for (const each of releases.splice(0)) each();
    };
    return { held, release };
  }

  close(): void {
    this.#stop?.();
  }
}

export const MAX_SUBSCRIPTIONS = 1_000;
/** How long a server may take to say that it is subscribed to. */
const ANSWER_MS = 2_000;
const nothing = () => {};

/** Gives up what is held in the end. */
const letGo = (holds: Promise<(() => void) | undefined>) => () => void holds.then((release) => release?.());

/** The resources that a `subscriptions/listen` names; undefined for any other message. */
export function listenedIn(message: unknown): { id: unknown; uris: readonly string[] } | undefined {
  const { id, method, params } = Object(message) as {
    id?: unknown;
    method?: unknown;
    params?: { notifications?: { resourceSubscriptions?: unknown } };
  };
  const uris = params?.notifications?.resourceSubscriptions;
  if (method !== "subscriptions/listen" || !Array.isArray(uris)) return undefined;
  return { id, uris: uris.filter((uri): uri is string => typeof uri === "string") };
}

/** The same message for these resources alone. */
export function listeningTo<Message>(message: Message, uris: readonly string[]): Message {
  const { params } = message as { params: { notifications: object } };
  const notifications = { ...params.notifications, resourceSubscriptions: uris };
  return { ...message, params: { ...params, notifications } };
}
