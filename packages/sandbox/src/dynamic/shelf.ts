import {
  type AnyTool,
  type JsonSchema,
  type Registry,
  type ToolFailure,
  ToolrigError,
  unavailable,
} from "@toolrig/core";
import {
  type Catalog,
  type CatalogEntry,
  defined,
  isThenable,
  type MaybePromise,
  messageOf,
} from "@toolrig/core/kit";
import type { Workshop } from "./handler.ts";
import { toolOf } from "./made-tool.ts";
import { type MadeTool, readRow } from "./recipe.ts";
import { madeSchema } from "./recipe-schema.ts";

/** The provider of tools that were made at run time. */
const PROVIDER = "dynamic";

/** A row of the catalog, and what became of it. */
export interface ShelvedTool {
  name: string;
  /**
   * "ready": it can be called. "aside": another provider has its name, or it may not be called here. "disabled": the catalog
   * says so. "quarantined": the row is not what was written, and nothing of it runs.
   */
  status: "ready" | "aside" | "disabled" | "quarantined";
  /** Why it is not ready. */
  reason?: string;
  /** Absent where the row is quarantined. */
  made?: MadeTool;
  /** Epoch milliseconds. */
  createdAt: number;
  updatedAt: number;
}

interface Held {
  made: MadeTool;
  tool: AnyTool;
}

/** Made tools: kept in the catalog, and those that can be in the registry. The catalog is what holds. */
export class Shelf {
  readonly #registry: Registry;
  readonly #catalog: Catalog;
  readonly #workshop: Workshop;
  /** Of what a row may hold. */
  readonly #schema: JsonSchema;
  readonly #held = new Map<string, Held>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(registry: Registry, catalog: Catalog, workshop: Workshop, maxSource: number) {
    this.#registry = registry;
    this.#catalog = catalog;
    this.#workshop = workshop;
    this.#schema = madeSchema(maxSource);
  }

  /** Brings the registry to what the catalog says, at once where the catalog answers at once. */
  restore(): MaybePromise<readonly ShelvedTool[]> {
    const rows = this.#catalog.list("tool");
    return isThenable(rows) ? rows.then((each) => this.#align(each)) : this.#align(rows);
  }

  async list(): Promise<readonly ShelvedTool[]> {
    return this.restore();
  }

  async get(name: string): Promise<ShelvedTool | undefined> {
    return (await this.list()).find((each) => each.name === name);
  }

  /** Writes it, and then registers it: what can be called is kept. Says what became of it. */
  async put(made: MadeTool): Promise<ShelvedTool> {
    const entry = await this.#catalog.put({
      kind: "tool",
      name: made.name,
      spec: made,
      enabled: true,
      ...defined({ by: made.by }),
    });
    return this.#shelve(entry);
  }

  /** False when there is none. */
  async remove(name: string): Promise<boolean> {
    const was = await this.#catalog.remove("tool", name);
    this.#drop(name);
    return was;
  }

  /** Takes all of it out of the registry. */
  clear(): void {
    for (const name of [...this.#held.keys()]) this.#drop(name);
  }

  /** One after the other: what is decided by what is on the shelf must still hold when it is done. */
  alone<Value>(act: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {});
    return done;
  }

  #align(rows: readonly CatalogEntry[]): readonly ShelvedTool[] {
    const names = new Set(rows.map(({ name }) => name));
    for (const name of [...this.#held.keys()]) if (!names.has(name)) this.#drop(name);
    return rows.map((row) => this.#shelve(row));
  }

  #shelve(entry: CatalogEntry): ShelvedTool {
    const { name, createdAt, updatedAt, enabled } = entry;
    const shelved = { name, createdAt, updatedAt };
    const row = readRow(entry, this.#schema);
    if ("quarantined" in row) {
      this.#drop(name);
      return { ...shelved, status: "quarantined", reason: row.quarantined };
    }
    if (!enabled) {
      this.#drop(name);
      return { ...shelved, status: "disabled", reason: "it is switched off in the catalog", made: row.made };
    }
    try {
      this.#register(row.made);
    } catch (error) {
      if (ToolrigError.isInstance(error) && error.code === "TOOL_NAME_TAKEN")
        return { ...shelved, status: "aside", reason: messageOf(error), made: row.made };
      return { ...shelved, status: "quarantined", reason: `no tool can be made of it: ${messageOf(error)}` };
    }
    const reason = this.#whyAside(name);
    if (reason !== undefined) return { ...shelved, status: "aside", reason, made: row.made };
    return { ...shelved, status: "ready", made: row.made };
  }

  #register(made: MadeTool): void {
    const held = this.#held.get(made.name);
    if (held !== undefined && held.made.hash === made.hash && this.#isRegistered(held)) return;
    this.#drop(made.name);
    const tool = toolOf(made, this.#workshop, (own) => this.#refusal(own));
    this.#registry.add(tool, { provider: PROVIDER, yields: true });
    this.#held.set(made.name, { made, tool });
  }

  #drop(name: string): void {
    const held = this.#held.get(name);
    if (held === undefined) return;
    this.#held.delete(name);
    if (this.#isRegistered(held)) this.#registry.remove(name);
  }

  #isRegistered({ tool }: Held): boolean {
    return this.#registry.get(tool.name) === tool;
  }

  /** Why a registered one is not what is found by its name. */
  #whyAside(name: string): string | undefined {
    const { tools } = this.#workshop;
    const found = tools.get(name);
    if (found === undefined) return "the allowlist leaves it out";
    const provider = tools.providerOf?.(found);
    return provider === PROVIDER ? undefined : `provider "${provider}" has a tool of that name`;
  }

  /** Another process may have removed or replaced it, or somebody changed the row. */
  async #refusal(made: MadeTool): Promise<ToolFailure | undefined> {
    const entry = await this.#catalog.get("tool", made.name);
    const row = entry === undefined ? undefined : readRow(entry, this.#schema);
    if (entry?.enabled === true && row !== undefined && "made" in row && row.made.hash === made.hash)
      return undefined;
    await this.restore();
    if (row === undefined) return unavailable(`${made.name} was removed.`);
    if ("quarantined" in row) return unavailable(`${made.name} is quarantined: ${row.quarantined}.`);
    if (entry?.enabled !== true) return unavailable(`${made.name} is switched off.`);
    return unavailable(`${made.name} was made anew meanwhile. Look at its definition and call it again.`);
  }
}
