import { ToolrigError } from "@toolrig/core";
import type { Catalog } from "@toolrig/core/kit";
import { defined, MemoryCatalog } from "@toolrig/core/kit";
import type { PinRecord } from "../defence/pins.ts";
import type { ConnectionOptions, Era } from "./connection-options.ts";

/** What is kept of a connection, in the catalog under its name (kind "connection"). */
export interface KeptConnection extends PinRecord {
  /** How it is reached, for one that was added at run time. What comes from the configuration is not kept here. */
  server?: ConnectionOptions;
  /** The era it was found to speak, and when (epoch milliseconds). */
  era?: { era: Era; at: number };
}

/** A server that answered in the old way may have learned the new one since. */
const OLD_ERA_FOR_MS = 7 * 24 * 3_600_000;

/** Connections as the catalog keeps them. Without a store they are kept as long as the process lives. */
export class Kept {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog = new MemoryCatalog()) {
    this.#catalog = catalog;
  }

  async get(name: string): Promise<KeptConnection> {
    const entry = await this.#catalog.get("connection", name);
    // What was pinned is unknown: to go on would be to trust whatever the server says now.
    if (entry?.damage !== undefined)
      throw new ToolrigError(
        "STORE_FAILED",
        `What the catalog keeps of connection "${name}" cannot be read (${entry.damage}). Restore a backup, or remove the connection.`,
        { details: { problem: "corrupt" } },
      );
    return (entry?.spec ?? {}) as KeptConnection;
  }

  async change(name: string, change: KeptConnection, by?: string): Promise<void> {
    const spec = { ...(await this.get(name)), ...change };
    await this.#catalog.put({ kind: "connection", name, spec, ...defined({ by }) });
  }

  async enable(name: string, enabled: boolean): Promise<void> {
    const entry = await this.#catalog.get("connection", name);
    if (entry !== undefined && entry.damage === undefined && entry.enabled !== enabled)
      await this.#catalog.put({ kind: "connection", name, spec: entry.spec, enabled });
  }

  remove(name: string) {
    return this.#catalog.remove("connection", name);
  }

  /** Those that were added at run time. */
  async added(): Promise<{ name: string; server: ConnectionOptions; enabled: boolean }[]> {
    const entries = await this.#catalog.list("connection");
    return entries.flatMap(({ name, spec, enabled }) => {
      const { server } = (spec ?? {}) as KeptConnection;
      return server === undefined ? [] : [{ name, server, enabled }];
    });
  }

  async era(name: string): Promise<Era | undefined> {
    const { era: found } = await this.get(name);
    if (found === undefined) return undefined;
    return found.era === "2025" && Date.now() - found.at > OLD_ERA_FOR_MS ? undefined : found.era;
  }

  async foundEra(name: string, era: Era): Promise<void> {
    if ((await this.era(name)) !== era) await this.change(name, { era: { era, at: Date.now() } });
  }
}
