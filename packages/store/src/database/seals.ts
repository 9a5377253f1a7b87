import { JournalSeal } from "./journal-row.ts";
import { LedgerSeal } from "./ledger-row.ts";

/** The checksums of all tables that have them. */
export interface Seals {
  ledger: LedgerSeal;
  journal: JournalSeal;
}

export function sealsOf(key: string | undefined): Seals {
  return { ledger: new LedgerSeal(key), journal: new JournalSeal(key) };
}
