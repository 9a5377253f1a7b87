import {
  type Catalog,
  type CatalogChange,
  type CatalogEntry,
  type CatalogKind,
  messageOf,
} from "@toolrig/core/kit";
import type { CommitGroup } from "./database/commit-group.ts";
import type { Database } from "./database/database.ts";
import { fromJson, toJson } from "./database/json.ts";
import type { CatalogColumn } from "./database/seals.ts";
import type { TableSeal } from "./database/table-seal.ts";

interface CatalogRow {
  kind: CatalogKind;
  name: string;
  spec: string | null;
  enabled: number;
  by: string | null;
  revision: number;
  created_at: number;
  updated_at: number;
  seal: Uint8Array | null;
}

const FIND = "SELECT * FROM catalog WHERE kind = ? AND name = ?";

/** Every write is on disk before its promise resolves. */
export class SqliteCatalog implements Catalog {
  readonly #database: Database;
  readonly #group: CommitGroup;
  readonly #now: () => number;
  readonly #seal: TableSeal<CatalogColumn>;

  constructor(database: Database, group: CommitGroup, now: () => number, seal: TableSeal<CatalogColumn>) {
    this.#seal = seal;
    this.#database = database;
    this.#group = group;
    this.#now = now;
  }

  put({ kind, name, spec, enabled, by }: CatalogChange): Promise<CatalogEntry> {
    const text = toJson(spec);
    return this.#group.run(() => {
      this.#database
        .prepare(
          `INSERT INTO catalog (kind, name, spec, enabled, by, revision, created_at, updated_at)
           VALUES ($kind, $name, $spec, coalesce($enabled, 1), $by, 1, $at, $at)
           ON CONFLICT DO UPDATE SET spec = $spec, enabled = coalesce($enabled, enabled), by = $by,
             revision = revision + 1, updated_at = $at`,
        )
        .run({
          kind,
          name,
          spec: text,
          enabled: enabled === undefined ? null : Number(enabled),
          by: by ?? null,
          at: this.#now(),
        });
      const row = this.#database.row<CatalogRow>(FIND, kind, name);
      const seal = this.#seal.of({ ...row });
      this.#database.prepare("UPDATE catalog SET seal = ? WHERE kind = ? AND name = ?").run(seal, kind, name);
      return this.#entry({ ...row, seal });
    });
  }

  get(kind: CatalogKind, name: string): CatalogEntry | undefined {
    return this.#database.read(() => {
      const row = this.#database.prepare<CatalogRow>(FIND).get(kind, name);
      return row === undefined ? undefined : this.#entry(row);
    });
  }

  list(kind?: CatalogKind): CatalogEntry[] {
    return this.#database.read(() =>
      this.#database
        .prepare<CatalogRow>("SELECT * FROM catalog WHERE $kind IS NULL OR kind = $kind ORDER BY kind, name")
        .all({ kind: kind ?? null })
        .map((row) => this.#entry(row)),
    );
  }

  remove(kind: CatalogKind, name: string): Promise<boolean> {
    return this.#group.run(
      () =>
        this.#database.prepare("DELETE FROM catalog WHERE kind = ? AND name = ?").run(kind, name).changes ===
        1,
    );
  }

  #entry(row: CatalogRow): CatalogEntry {
    const { kind, name, revision, by } = row;
    const said = specOf(row);
    const isWhole = this.#seal.holds(row);
    const entry: CatalogEntry = {
      kind,
      name,
      ...(isWhole ? said : { spec: undefined, damage: said.damage ?? "it does not match its checksum" }),
      enabled: row.enabled === 1,
      revision,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    };
    if (by !== null) entry.by = by;
    return entry;
  }
}

/** One row that is damaged leaves the others readable. */
function specOf({ spec }: CatalogRow): Pick<CatalogEntry, "spec" | "damage"> {
  try {
    return { spec: fromJson(spec) };
  } catch (error) {
    return { spec: undefined, damage: messageOf((error as Error).cause) };
  }
}
