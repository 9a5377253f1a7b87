import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sampleRecord } from "@toolrig/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FileWatch } from "./database/file-watch.ts";
import { APPLICATION_ID, MIGRATIONS } from "./database/schema.ts";
import { openStore, type Store } from "./open-store.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-merged-"));
  path = join(folder, "rig.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

let stored = 0;
/** Stores as many records more, and returns how many there are. */
function store(into: Store, count: number): number {
  into.records.store(Array.from({ length: count }, () => sampleRecord(++stored)));
  return into.records.head().seq;
}

/**
 * A copy of the files as a process leaves them that is killed in a merge: of the pages in the log, only the first is in the main
 * file, and it names a size that the file does not have yet.
 */
function cutOff(): string {
  const killed = join(folder, "killed.db");
  for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${killed}${end}`);
  const log = readFileSync(`${killed}-wal`);
  const main = readFileSync(killed);
  const frame = 24 + log.readUInt32BE(8);
  for (let at = 32; at + frame <= log.length; at += frame)
    if (log.readUInt32BE(at) === 1 && log.readUInt32BE(at + 8) === log.readUInt32BE(16))
      log.copy(main, 0, at + 24, at + frame);
  expect(main.readUInt32BE(28) * (frame - 24)).toBeGreaterThan(main.length);
  writeFileSync(killed, main);
  return killed;
}

describe("a process that was killed in a merge", () => {
  function killedStore(): { killed: string; records: number } {
    const open = openStore(path);
    const records = store(open, 500);
    const killed = cutOff();
    open.close();
    return { killed, records };
  }

  test.each([false, true])(
    "leaves a store that opens with all that was written (readOnly: %s)",
    (readOnly) => {
      const { killed, records } = killedStore();
      const opened = openStore(killed, { readOnly });
      expect(opened.records.head().seq).toBe(records);
      expect(opened.check()).toEqual([]);
      opened.close();
    },
  );

  test("leaves a store that is refused when it was truncated further than its log goes", () => {
    const { killed } = killedStore();
    truncateSync(killed, 8_192);
    expect(() => openStore(killed)).toThrow("its file is damaged");
  });
});

test("a store opens whose process was killed before its first write, and whose log another program merged", () => {
  openStore(path).close();
  const connection = new DatabaseSync(path);
  new FileWatch(path, connection).beforeWrite("durable");
  const killed = join(folder, "killed.db");
  for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${killed}${end}`);
  connection.close();
  expect(() => openStore(killed, { readOnly: true }).close()).not.toThrow();
  const other = new DatabaseSync(killed);
  other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  other.close();
  openStore(killed).close();
});

test("a store opens whose process was killed in the first page of a log that begins anew", () => {
  const open = openStore(path);
  open.descriptions.set("a", "b");
  const other = new DatabaseSync(path);
  other.exec("PRAGMA wal_checkpoint(PASSIVE)");
  const killed = join(folder, "killed.db");
  for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${killed}${end}`);
  other.close();
  open.close();
  // The header of the log and that of its first page are new. The page is still the one that was there before: an older identity.
  const log = readFileSync(`${killed}-wal`);
  const salt = (log.readUInt32BE(16) + 1) >>> 0;
  for (const at of [16, 32 + 8]) log.writeUInt32BE(salt, at);
  // The checksum of the header, with which those of the pages begin, is another one, too.
  log.writeUInt32BE((log.readUInt32BE(24) ^ 1) >>> 0, 24);
  writeFileSync(`${killed}-wal`, log);
  expect(() => openStore(killed).close()).not.toThrow();
});

test("a store opens whose process was killed while it merged a migration", () => {
  const old = new DatabaseSync(path);
  old.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; ${MIGRATIONS[0]}`);
  old.exec(`PRAGMA user_version = 1; PRAGMA application_id = ${APPLICATION_ID}`);
  old.close();
  const open = openStore(path);
  const killed = cutOff();
  open.close();
  for (const readOnly of [true, false]) {
    const opened = openStore(killed, { readOnly });
    expect(opened.check()).toEqual([]);
    opened.close();
  }
});

describe("a store that is open goes on", () => {
  function truncateLog(): void {
    const other = new DatabaseSync(path);
    const [row] = other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all() as { busy: number }[];
    expect(row?.busy).toBe(0);
    other.close();
  }

  test("when another program has truncated its log", () => {
    const first = openStore(path);
    store(first, 1);
    store(first, 1);
    // It never began the log anew itself, and SQLite gives it any salt.
    const second = openStore(path);
    store(second, 1);
    truncateLog();
    store(second, 1);
    store(first, 1);
    expect(store(second, 1)).toBe(6);
    first.close();
    second.close();
  });

  test("when its log began anew many times while it was idle", () => {
    const idle = openStore(path);
    store(idle, 1);
    const busy = openStore(path);
    for (let n = 0; n < 40; n++) {
      store(busy, 1);
      truncateLog();
    }
    expect(store(idle, 1)).toBe(42);
    busy.close();
    idle.close();
  });
});
