import type { MaybePromise } from "../maybe-promise.ts";
import { toPlain } from "../plain.ts";

/** What a catalog keeps: tools made at run time, and connections to MCP servers. */
export type CatalogKind = "tool" | "connection";

/** One thing that was registered at run time and is there again after a restart. */
export interface CatalogEntry {
  kind: CatalogKind;
  name: string;
  /** What is needed to make it again, as plain data. Its shape belongs to whoever registered it. */
  spec: unknown;
  /** Why what was kept cannot be read: `spec` is undefined then, and nothing may be made of it. It can be removed. */
  damage?: string;
  /** A disabled entry is kept and not registered. */
  enabled: boolean;
  /** Who put it there. */
  by?: string;
  /** Grows by one with every change of this entry, from 1. */
  revision: number;
  /** Epoch milliseconds. */
  createdAt: number;
  updatedAt: number;
}

export type CatalogChange = Pick<CatalogEntry, "kind" | "name" | "spec"> &
  Partial<Pick<CatalogEntry, "enabled" | "by">>;

/** Write-through: a change is durable before `put` or `remove` answers, so that what is registered is also kept. */
export interface Catalog {
  /** Adds an entry or replaces its spec. Without `enabled` it stays as it was, and a new one is enabled. */
  put(change: CatalogChange): MaybePromise<CatalogEntry>;
  get(kind: CatalogKind, name: string): MaybePromise<CatalogEntry | undefined>;
  /** Entries sorted by kind and name. */
  list(kind?: CatalogKind): MaybePromise<readonly CatalogEntry[]>;
  /** Whether there was such an entry. */
  remove(kind: CatalogKind, name: string): MaybePromise<boolean>;
}

export class MemoryCatalog implements Catalog {
  readonly #entries = new Map<string, CatalogEntry>();

  put({ kind, name, spec, enabled, by }: CatalogChange): CatalogEntry {
    const key = `${kind}:${name}`;
    const known = this.#entries.get(key);
    const now = Date.now();
    const entry: CatalogEntry = {
      kind,
      name,
      spec: toPlain(spec),
      enabled: enabled ?? known?.enabled ?? true,
      revision: (known?.revision ?? 0) + 1,
      createdAt: known?.createdAt ?? now,
      updatedAt: now,
    };
    if (by !== undefined) entry.by = by;
    this.#entries.set(key, entry);
    return entry;
  }

  get(kind: CatalogKind, name: string): CatalogEntry | undefined {
    return this.#entries.get(`${kind}:${name}`);
  }

  list(kind?: CatalogKind): CatalogEntry[] {
    return [...this.#entries.entries()]
      .filter(([, entry]) => kind === undefined || entry.kind === kind)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, entry]) => entry);
  }

  remove(kind: CatalogKind, name: string): boolean {
    return this.#entries.delete(`${kind}:${name}`);
  }
}
