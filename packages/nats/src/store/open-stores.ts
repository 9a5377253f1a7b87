import type { NatsConnection } from "@nats-io/transport-node";
import type { Duration } from "@toolrig/core";
import { declareOptions, newId, type OptionTable, option, parseDuration } from "@toolrig/core/kit";
import { nameOption } from "../fleet/setup.ts";
import { leave, type NatsOptions, natsOption, open } from "../wire/connection.ts";
import { KvApprovals } from "./approvals.ts";
import { KvJournal } from "./journal.ts";
import { KvLedger } from "./ledger.ts";
import { KvCallStore } from "./records.ts";
import { KvWaits } from "./waits.ts";

export interface NatsStoresOptions {
  nats: NatsOptions;
  /** What the buckets' names begin with. Default "TOOLRIG". */
  prefix?: string;
  replicas?: number;
  /**
   * How long records, outcomes, waits and runs are kept after they were last written to. Longer than anything waits: what is
   * still waited for goes, too. Default: for ever.
   */
  keep?: Duration;
}

/** Records, ledger, waits, approvals and runs on NATS, for programs that have no disk of their own or share them. */
export interface NatsStores {
  connection: NatsConnection;
  records: KvCallStore;
  ledger: KvLedger;
  waits: KvWaits;
  /** Of the questions among the waits, and grants. */
  approvals: KvApprovals;
  journal: KvJournal;
  close(): Promise<void>;
}

const natsStoresOptions = declareOptions("openNatsStores", {
  nats: natsOption(),
  prefix: nameOption("TOOLRIG"),
  replicas: option.count(1, { default: 1 }),
  keep: option.duration({ zero: true, long: true }),
} satisfies OptionTable<NatsStoresOptions>);

export async function openNatsStores(given: NatsStoresOptions): Promise<NatsStores> {
  const { nats, prefix, replicas, keep } = natsStoresOptions.withDefaults(given);
  const ttlMs = keep === undefined ? 0 : parseDuration(keep, "keep");
  const connection = await open(nats, newId("store"));
  try {
    const options = (part: string) => ({ name: `${prefix}_${part}`, replicas, ttlMs });
    const records = new KvCallStore(connection, { bucket: `${prefix}_CALLS`, replicas, ttlMs });
    const ledger = await KvLedger.open(connection, options("LEDGER"));
    const waits = await KvWaits.open(connection, options("WAITS"));
    const approvals = await KvApprovals.open(connection, options("APPROVALS"), waits);
    const journal = await KvJournal.open(connection, options("RUNS"));
    return {
      connection,
      records,
      ledger,
      waits,
      approvals,
      journal,
      async close() {
        records.close();
        waits.close();
        await ledger.close();
        await leave(connection);
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
