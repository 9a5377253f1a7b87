import { check, type DescriptionChange, type DescriptionStore } from "@toolrig/core/kit";
import type { Database } from "./database/database.ts";

interface DescriptionRow {
  version: number;
  name: string;
  description: string | null;
  at: number;
}

/** For so long what was read counts, in ms: every call asks several times, and each question to SQLite costs as much as a guard. */
const FRESH_MS = 20;

/** Kept in memory and written through. A change that another process made is seen within 20 ms. */
export class SqliteDescriptions implements DescriptionStore {
  readonly #database: Database;
  readonly #now: () => number;
  #current = new Map<string, string>();
  #version = 0;
  #seen: number | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  get version(): number {
    this.#refresh();
    return this.#version;
  }

  get(name: string): string | undefined {
    this.#refresh();
    return this.#current.get(name);
  }

  set(name: string, description: string): void {
    check.string("description", description);
    if (this.get(name) !== description) this.#change(name, description);
  }

  delete(name: string): void {
    if (this.get(name) !== undefined) this.#change(name, null);
  }

  history(name: string): DescriptionChange[] {
    return this.#database.read(() =>
      this.#database
        .prepare<DescriptionRow>("SELECT * FROM descriptions WHERE name = ? ORDER BY version")
        .all(name)
        .map(({ version, description, at }) => ({ version, description: description ?? undefined, at })),
    );
  }

  #change(name: string, description: string | null): void {
    this.#database.write("durable", () =>
      this.#database
        .prepare("INSERT INTO descriptions (name, description, at) VALUES (?, ?, ?)")
        .run(name, description, this.#now()),
    );
    this.#seen = undefined;
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  #refresh(): void {
    const now = performance.now();
    if (now - this.#askedAt < FRESH_MS && this.#database.isOpen) return;
    this.#database.read(() => {
      const seen = this.#database.pragma("data_version");
      if (seen !== this.#seen) this.#load();
      this.#seen = seen;
    });
    this.#askedAt = now;
  }

  #load(): void {
    const { version } = this.#database.row<{ version: number }>(
      "SELECT coalesce(max(version), 0) AS version FROM descriptions",
    );
    if (version === this.#version) return;
    const rows = this.#database
      .prepare<Pick<DescriptionRow, "name" | "description">>(
        "SELECT name, description, max(version) FROM descriptions GROUP BY name",
      )
      .all();
    this.#current = new Map(
      rows.flatMap(({ name, description }) => (description === null ? [] : [[name, description]])),
    );
    this.#version = version;
  }
}
