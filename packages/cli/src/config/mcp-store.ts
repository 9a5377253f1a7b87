import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import type { ConnectionOptions, PinRecord } from "@toolrig/mcp";
import { openStore, type Store } from "@toolrig/store";
import { isStore } from "../rig/assemble.ts";
import { NotFound } from "../shell/not-found.ts";
import { type Loaded, loadSettings } from "./load-settings.ts";
import type { StoreValues } from "./open-store-file.ts";

type ServerTable = Readonly<Record<string, ConnectionOptions>>;

/** What is kept of a server in a catalog. */
export interface KeptServer extends PinRecord {
  server?: ConnectionOptions;
}

export interface ListedServer {
  name: string;
  from: "config" | "store";
  /** False for one that was disconnected for good. */
  enabled: boolean;
  server: ConnectionOptions;
  kept: KeptServer;
}

/** Servers as a config and its store describe them. */
export interface McpPlace {
  readonly settings: Loaded;
  readonly servers: readonly ListedServer[];
  readonly store: Store | undefined;
}

/** The servers, for looking: no store is made or changed. */
export async function lookAtServers<Result>(
  values: StoreValues,
  use: (place: McpPlace) => Result | Promise<Result>,
): Promise<Result> {
  const settings = await loadSettings(values.config);
  const place = placeOf(values, settings);
  if (typeof place !== "string") return use({ settings, servers: listed(place, settings), store: place });
  const store = existsSync(place) ? openStore(place, { readOnly: true }) : undefined;
  try {
    return await use({ settings, servers: listed(store, settings), store });
  } finally {
    store?.close();
  }
}

/** The servers, for changing what is kept of them. A store is made where there is none yet: adding one may be what it is for. */
export async function changeServers<Result>(
  values: StoreValues,
  use: (place: McpPlace & { store: Store }) => Result | Promise<Result>,
): Promise<Result> {
  const settings = await loadSettings(values.config);
  const place = placeOf(values, settings);
  const store = typeof place === "string" ? openStore(place) : place;
  if (store === undefined)
    throw new ToolrigError(
      "OPTION_INVALID",
      'Connections are kept in a store: give --store FILE, or set store: "toolrig.db" in the config.',
    );
  try {
    return await use({ settings, servers: listed(store, settings), store });
  } finally {
    if (typeof place === "string") store.close();
  }
}

function placeOf({ store: typed }: StoreValues, { rig: { store } }: Loaded): string | Store | undefined {
  if (typed !== undefined) return resolve(typed);
  return typeof store === "string" || isStore(store) ? store : undefined;
}

function listed(store: Store | undefined, { rig: { mcp } }: Loaded): ListedServer[] {
  const configured: ServerTable = mcp?.servers ?? {};
  const entries = new Map((store?.catalog.list("connection") ?? []).map((entry) => [entry.name, entry]));
  const names = [...new Set([...Object.keys(configured), ...entries.keys()])].sort();
  return names.flatMap((name): ListedServer[] => {
    const entry = entries.get(name);
    const kept = (entry?.spec ?? {}) as KeptServer;
    const own = Object.hasOwn(configured, name) ? configured[name] : undefined;
    const server = own ?? kept.server;
    if (server === undefined) return [];
    const from = own === undefined ? "store" : "config";
    return [{ name, from, enabled: entry?.enabled !== false, server, kept }];
  });
}

/** Throws `NotFound` when there is none of that name. */
export function serverNamed(servers: readonly ListedServer[], name: string): ListedServer {
  const found = servers.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = servers.map((each) => each.name).join(", ");
  throw new NotFound(`There is no MCP server "${name}". There is: ${names || "none"}.`);
}
