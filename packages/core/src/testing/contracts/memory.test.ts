import { describe, test } from "vitest";
import { MemoryApprovalStore } from "../../approvals.ts";
import { MemoryArtifactStore } from "../../artifacts.ts";
import { MemoryCatalog } from "../../catalog.ts";
import { MemoryDescriptionStore } from "../../description-store.ts";
import { MemoryEventLog } from "../../events.ts";
import { Executor } from "../../executor.ts";
import { MemoryJournal } from "../../journal.ts";
import { MemoryLedger } from "../../ledger.ts";
import { MemoryCallStore } from "../../record.ts";
import { recording } from "../../recording.ts";
import { replaying } from "../../replaying.ts";
import {
  approvalStoreContract,
  artifactStoreContract,
  type ContractCase,
  callStoreContract,
  catalogContract,
  descriptionStoreContract,
  eventLogContract,
  executorContract,
  journalContract,
  ledgerContract,
} from "../index.ts";

function holds(name: string, cases: readonly ContractCase[]): void {
  describe(name, () => {
    for (const each of cases) test(each.name, () => each.run());
  });
}

holds(
  "MemoryLedger",
  ledgerContract(() => ({ value: new MemoryLedger() })),
);
holds(
  "MemoryJournal",
  journalContract(() => ({ value: new MemoryJournal() })),
);
holds(
  "MemoryCallStore",
  callStoreContract(() => {
    const store = new MemoryCallStore();
    return { value: { store, records: () => store.records() } };
  }),
);
holds(
  "MemoryArtifactStore",
  artifactStoreContract(() => ({ value: new MemoryArtifactStore() })),
);
holds(
  "MemoryDescriptionStore",
  descriptionStoreContract(() => ({ value: new MemoryDescriptionStore() })),
);
holds(
  "MemoryCatalog",
  catalogContract(() => ({ value: new MemoryCatalog() })),
);
holds(
  "MemoryApprovalStore",
  approvalStoreContract(() => ({ value: new MemoryApprovalStore() })),
);
holds(
  "MemoryEventLog",
  eventLogContract(() => {
    const log = new MemoryEventLog();
    return { value: { log, events: () => log.events() } };
  }),
);
holds(
  "Executor",
  executorContract((tools) => ({ value: new Executor({ tools }) })),
);
holds(
  "recording(Executor)",
  executorContract((tools) => {
    const recorded = recording(new Executor({ tools }), new MemoryCallStore());
    return { value: recorded, close: () => recorded.close() };
  }),
);
holds(
  "replaying(Executor), with nothing recorded",
  executorContract((tools) => ({ value: replaying(new Executor({ tools }), [], { mode: "lenient" }) })),
);
