import { effect, signal, untracked } from "@preact/signals";
import type { ServerInfo } from "@toolrig/server/wire";
import { get } from "./client.ts";
import { comebacks, connection } from "./connection.ts";
import { inboxCount } from "./feed.ts";

/** What the server is and can do; undefined until it has said so. */
export const server = signal<ServerInfo | undefined>(undefined);

/** Asks at the beginning, after a token was given, and when the server is back: it may be another one then. */
export function followServer(): void {
  effect(() => {
    comebacks.value;
    if (connection.value.state !== "live" && untracked(() => server.value) !== undefined) return;
    get<ServerInfo>("/server").then(
      (info) => {
        server.value = info;
        // Who comes later has missed when it last changed.
        if (info.inbox !== undefined) inboxCount.value = info.inbox;
      },
      () => undefined,
    );
  });
}
