import { describe, test } from "vitest";
import { MemoryEventLog } from "../../call/events.ts";
import { Executor } from "../../pipeline/executor.ts";
import { recording } from "../../recording/recording.ts";
import { replaying } from "../../recording/replaying.ts";
import { MemoryApprovalStore } from "../../stores/approvals.ts";
import { MemoryArtifactStore } from "../../stores/artifacts.ts";
import { MemoryCatalog } from "../../stores/catalog.ts";
import { MemoryDescriptionStore } from "../../stores/descriptions.ts";
import { MemoryJournal } from "../../stores/journal.ts";
import { MemoryLedger } from "../../stores/ledger.ts";
import { MemoryCallStore } from "../../stores/records.ts";
import { MemoryWaitStore } from "../../stores/waits.ts";
import { crashableLedger } from "../crash-points.ts";
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
  waitingCallsContract,
  waitStoreContract,
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
  "MemoryWaitStore",
  waitStoreContract(() => ({ value: new MemoryWaitStore() })),
);
holds(
  "MemoryLedger with MemoryWaitStore",
  waitingCallsContract(() => {
    const [ledger, waits] = [new MemoryLedger(), new MemoryWaitStore()];
    // What hangs in this process is as good as dead: the next one does not wait for it.
    const reopen = () => ({ ledger: { ...crashableLedger(ledger, () => {}), book: {} }, waits });
    return { value: reopen(), reopen };
    // A call that is held hears of its answer in this process, and would go on.
  }).filter(({ name }) => !name.includes("held")),
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
