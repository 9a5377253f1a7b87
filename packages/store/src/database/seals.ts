import { JournalSeal } from "./journal-row.ts";
import { LedgerSeal } from "./ledger-row.ts";
import { TableSeal } from "./table-seal.ts";

const WAIT_COLUMNS = [
  "id",
  "kind",
  "execution_id",
  "call_id",
  "name",
  "run_id",
  "principal",
  "note",
  "created_at",
  "expires_at",
  "next_at",
  "tokens",
  "body",
  "ended_how",
  "ended_at",
  "ended_by",
  "ended_body",
] as const;
const CATALOG_COLUMNS = [
  "kind",
  "name",
  "spec",
  "enabled",
  "by",
  "revision",
  "created_at",
  "updated_at",
] as const;
/** What a run was begun with. How far it is follows from its entries. */
const RUN_COLUMNS = [
  "run_id",
  "kind",
  "started_at",
  "request_id",
  "input",
  "principal",
  "forked_run",
  "forked_turn",
] as const;

export type WaitColumn = (typeof WAIT_COLUMNS)[number];
export type CatalogColumn = (typeof CATALOG_COLUMNS)[number];
export type RunColumn = (typeof RUN_COLUMNS)[number];

/** The checksums of all tables that have them. */
export interface Seals {
  ledger: LedgerSeal;
  journal: JournalSeal;
  waits: TableSeal<WaitColumn>;
  catalog: TableSeal<CatalogColumn>;
  runs: TableSeal<RunColumn>;
}

export function sealsOf(key: string | undefined): Seals {
  return {
    ledger: new LedgerSeal(key),
    journal: new JournalSeal(key),
    waits: new TableSeal("waits", WAIT_COLUMNS, key),
    catalog: new TableSeal("catalog", CATALOG_COLUMNS, key),
    runs: new TableSeal("runs", RUN_COLUMNS, key),
  };
}
