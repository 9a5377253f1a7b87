import { signal } from "@preact/signals";
import type { ServerInfo } from "@toolrig/server/wire";
import { get } from "./client.ts";
import { comebacks } from "./connection.ts";
import { inboxCount } from "./feed.ts";

/** What the server is and can do; undefined until it has said so. */
export const server = signal<ServerInfo | undefined>(undefined);

/** Asks at the beginning, and when the server is back: it may be another one then. */
export function followServer(): void {
  comebacks.subscribe(() => void ask());
}

async function ask(): Promise<void> {
  const info = await get<ServerInfo>("/server").catch(() => undefined);
  if (info === undefined) return;
  server.value = info;
  // Who comes later has missed when it last changed.
  if (info.inbox !== undefined) inboxCount.value = info.inbox;
}
