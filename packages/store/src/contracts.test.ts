import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Executor } from "@toolrig/core";
import {
  approvalStoreContract,
  artifactStoreContract,
  type ContractCase,
  callStoreContract,
  catalogContract,
  descriptionStoreContract,
  executorContract,
  journalContract,
  ledgerContract,
  type Subject,
  waitingCallsContract,
  waitStoreContract,
} from "@toolrig/core/testing";
import { describe, test } from "vitest";
import { openStore, type Store } from "./open-store.ts";

/** A part of a store in a file of its own; reopening closes the file and opens it again. */
function partOf<T>(part: (store: Store) => T): () => Subject<T> {
  return () => {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-store-"));
    const path = join(folder, "rig.db");
    let store = openStore(path);
    return {
      value: part(store),
      reopen() {
        store.close();
        store = openStore(path);
        return part(store);
      },
      close() {
        store.close();
        rmSync(folder, { recursive: true });
      },
    };
  };
}

function holds(name: string, cases: readonly ContractCase[]): void {
  describe(name, () => {
    for (const each of cases) test(each.name, () => each.run());
  });
}

holds("ledger", ledgerContract(partOf((store) => store.ledger)));
holds("journal", journalContract(partOf((store) => store.journal)));
holds("artifacts", artifactStoreContract(partOf((store) => store.artifacts)));
holds("descriptions", descriptionStoreContract(partOf((store) => store.descriptions)));
holds("catalog", catalogContract(partOf((store) => store.catalog)));
holds("approvals", approvalStoreContract(partOf((store) => store.approvals)));
holds("waits", waitStoreContract(partOf((store) => store.waits)));
holds("calls that wait", waitingCallsContract(partOf(({ ledger, waits }) => ({ ledger, waits }))));
holds(
  "records",
  callStoreContract(
    partOf(({ records }) => ({
      store: records,
      records: () => [...records.all()].map(({ seq: _, hash: __, ...record }) => record),
    })),
  ),
);
holds(
  "an executor on a store",
  executorContract((tools) => {
    const { value: store, close } = partOf((each) => each)();
    const executor = new Executor({
      tools,
      ledger: store.ledger,
      store: store.records,
      artifacts: store.artifacts,
    });
    return {
      value: executor,
      async close() {
        await executor.drain();
        await close?.();
      },
    };
  }),
);
