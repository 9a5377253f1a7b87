import type { Duration, Redactor } from "@toolrig/core";
import {
  type CallStore,
  check,
  declareOptions,
  defined,
  type OptionTable,
  option,
  type Pruned,
  parseDuration,
  type Retention,
} from "@toolrig/core/kit";
import { runApart } from "./apart.ts";
import { SqliteApprovals } from "./approvals.ts";
import { SqliteArtifacts } from "./artifacts.ts";
import type { Backup } from "./backup.ts";
import { SqliteCatalog } from "./catalog.ts";
import { CommitGroup } from "./database/commit-group.ts";
import { Database } from "./database/database.ts";
import { establish, locate } from "./database/establish.ts";
import { migrate } from "./database/migrate.ts";
import { MIGRATIONS } from "./database/schema.ts";
import { sealsOf } from "./database/seals.ts";
import { Session } from "./database/session.ts";
import { WriteLock } from "./database/write-lock.ts";
import { SqliteDescriptions } from "./descriptions.ts";
import { type FoundIds, findIds } from "./find-ids.ts";
import { SqliteJournal } from "./journal.ts";
import { SqliteLedger } from "./ledger.ts";
import { LedgerAudit } from "./ledger-audit.ts";
import { prune } from "./prune.ts";
import { SqliteRecorder } from "./records/recorder.ts";
import { SqliteRecords } from "./records/records.ts";
import type { Anchor, Audit } from "./records/verify.ts";
import { Recovery, recoverRecords } from "./recover.ts";
import { type Acceptance, Restoration, type RestoreMarker } from "./restoration.ts";
import { SqliteWaits } from "./waits.ts";

/** An empty store takes about half of this. */
const SMALLEST = 500_000;

export interface StoreOptions {
  /** How long a write waits for a process that holds the file before it fails; up to 15 times as long while others go on writing. Default "2s". */
  busyTimeout?: Duration;
  /** Opens the file for reading only: every write fails. Default: when the file cannot be written to. */
  readOnly?: boolean;
  /** What the file may grow to, in bytes. Beyond it the store is full, as it is when the disk is. Default: no limit. */
  maxBytes?: number;
  /** Seals the chain of records, so that only who knows the key can change it unseen. The same for the life of a file. */
  auditKey?: string;
  /** Removes secrets from what is recorded on behalf of a process that died. Default: the built-in rules. */
  redactor?: Redactor;
}

const storeOptions = declareOptions("openStore", {
  busyTimeout: option.duration({ default: "2s", zero: true }),
  readOnly: option.flag({ default: false }),
  maxBytes: option.count(SMALLEST),
  // An empty key would seal nothing that others could not.
  auditKey: option.text(),
  redactor: option.part<Redactor>("a Redactor", ["text", "value", "fact"]),
} satisfies OptionTable<StoreOptions>);

/** Everything durable, in one file. */
export interface Store {
  readonly path: string;
  readonly readOnly: boolean;
  readonly records: SqliteRecords;
  /** For executors, who have more records at times than one thread should write: the same records, in the same order. */
  readonly recorder: CallStore;
  readonly ledger: SqliteLedger;
  readonly journal: SqliteJournal;
  readonly catalog: SqliteCatalog;
  readonly descriptions: SqliteDescriptions;
  readonly artifacts: SqliteArtifacts;
  /** Of the questions among the waits, and grants. */
  readonly approvals: SqliteApprovals;
  /** What calls wait for. */
  readonly waits: SqliteWaits;
  /** How many calls of processes that died were recorded from the ledger, when this store was opened and since. */
  readonly recovered: number;
  /**
   * Removes what is older or more than asked for, and never what an open run, wait or question may still ask for. Works in short
   * steps, between which others write. Resolves with how many of each were removed.
   */
  prune(retention: Retention): Promise<Pruned>;
  /**
   * The executions and runs that a person means who typed the whole of an id, its beginning or its end. Without `endings` it costs
   * the same however many there are.
   */
  find(typed: string, options?: { endings?: boolean }): FoundIds;
  /** As `records.verify`, in a thread of its own: the process goes on with its work. */
  verifyApart(anchors?: readonly Anchor[]): Promise<Audit>;
  /**
   * Writes a copy to `path` while others write, in a thread of its own: one snapshot, verified, on disk, and readable by its owner only.
   * Replaces an older backup; rejects with `OPTION_INVALID` where anything else is in its place.
   */
  backup(path: string): Promise<Backup>;
  /**
   * The store is a restored backup: it knows nothing of what was begun after `from`. Until `acceptRestore`, an execution that it does
   * not know, and whose id was not made since it was opened, counts as begun before and not ended: a tool with `reconcile` is
   * asked, one that is idempotent runs, and any other is answered `TOOL_OUTCOME_UNKNOWN`. In epoch milliseconds.
   */
  readonly restored: RestoreMarker | undefined;
  /** A person says that the ledger is complete again: what it does not know is new from now on. */
  acceptRestore(acceptance: Acceptance): void;
  /**
   * Lists damage: what SQLite finds wrong with the file, or else contents that are not as they were written, by record, execution, run
   * and artifact. Reads all of it. Rows that were sealed with a key are checked with the key only.
   */
  check(): string[];
  /** Writes what waits and closes the file. */
  close(): void;
}

/**
 * Opens a store, and makes it when there is none. ":memory:" is a store for the life of the process. Several processes
 * may have the same file open.
 *
 * @example
 * ```ts
 * import { Executor, tool } from "@toolrig/core";
 * import { openStore } from "@toolrig/store";
 *
 * const input = { type: "object" } as const;
 * const ping = tool({ name: "ping", description: "Answer", input, execute: () => "pong" });
 * const store = openStore("rig.db");
 * const executor = new Executor({ tools: [ping], ledger: store.ledger, store: store.records });
 * await executor.call({ id: "call_1", name: "ping" });
 * await executor.drain();
 * console.log(store.records.query({ tool: "ping" }).records.length); //=> 1
 * store.close();
 * ```
 */
export function openStore(path: string, options: StoreOptions = {}): Store {
  const { busyTimeoutMs, readOnly, maxBytes } = checkOptions(path, options);
  const where = path === ":memory:" ? path : locate(path);
  const writeLock = new WriteLock();
  const found = establish(where, MIGRATIONS, readOnly);
  const database = new Database(where, {
    busyTimeoutMs,
    readOnly: found.readOnly || readOnly,
    alone: found.alone,
    writeLock,
    ...defined({ maxBytes }),
  });
  const now = () => Date.now();
  try {
    migrate(database, MIGRATIONS);
  } catch (error) {
    database.close();
    throw error;
  }
  const session = new Session(database, now);
  const group = new CommitGroup(database);
  const records = new SqliteRecords(database, options.auditKey, now);
  const audit = new LedgerAudit(database, records, options.redactor);
  const seals = sealsOf(options.auditKey);
  const marker = new Restoration(database);
  const artifacts = new SqliteArtifacts(database, session, now);
  const ledger = new SqliteLedger(database, group, session, now, audit, seals.ledger, marker);
  const waits = new SqliteWaits(database, group, ledger, seals.waits);
  const { shared } = writeLock;
  const { auditKey } = options;
  const writer = {
    path: where,
    busyTimeoutMs,
    shared,
    ...defined({ maxBytes, auditKey }),
  };
  const isOwnFile = where !== ":memory:" && !database.readOnly;
  const recorder = new SqliteRecorder(records, isOwnFile ? writer : undefined, () => writeLock.reset());
  const recovery = new Recovery(() => {
    if (database.readOnly) return 0;
    artifacts.sweep();
    return recoverRecords(database, records, session, audit, seals);
  });
  recovery.run();
  records.beforeVerify = () => recovery.run();
  return {
    path: where,
    readOnly: database.readOnly,
    get recovered() {
      return recovery.recovered;
    },
    records,
    recorder,
    ledger,
    journal: new SqliteJournal(database, group, session, now, audit, seals),
    catalog: new SqliteCatalog(database, group, now, seals.catalog),
    descriptions: new SqliteDescriptions(database, now),
    artifacts,
    approvals: new SqliteApprovals(database, group, waits),
    waits,
    prune: (retention) => prune(database, { records, artifacts }, retention, now()),
    find: (typed, { endings = true } = {}) => findIds(database, typed, endings),
    // What is in memory is in no other thread's.
    async verifyApart(anchors = []) {
      if (where === ":memory:") return records.verify(anchors);
      recovery.run();
      return runApart({ do: "verify", path: where, auditKey: options.auditKey, anchors });
    },
    async backup(target) {
      check.string("path", target);
      if (where === ":memory:") throw check.invalid("backup", "a store in a file", where);
      return runApart({ do: "backup", path: where, target });
    },
    get restored() {
      return marker.current;
    },
    acceptRestore: (acceptance) => marker.accept(acceptance),
    check() {
      const found = integrityOf(database);
      return found.length > 0 ? found : records.damage();
    },
    close() {
      if (!database.isOpen) return;
      recovery.stop();
      recorder.end();
      group.flush();
      session.end();
      database.close();
    },
  };
}

function integrityOf(database: Database): string[] {
  const rows = database.read(() =>
    database.prepare<{ integrity_check: string }>("PRAGMA integrity_check").all(),
  );
  const found = rows.map((row) => row.integrity_check);
  return found.length === 1 && found[0] === "ok" ? [] : found;
}

/** Throws `OPTION_INVALID`, naming the option. */
function checkOptions(path: string, options: StoreOptions) {
  check.string("path", path);
  const { busyTimeout, readOnly, maxBytes } = storeOptions.withDefaults(options);
  return { busyTimeoutMs: parseDuration(busyTimeout, "busyTimeout"), readOnly, maxBytes };
}
