import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Executor } from "@toolrig/core";
import { sampleRecord, scriptedTool } from "@toolrig/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Payer, paidTwice } from "../test/payer.ts";
import { isBackup, openStore, restoreStore, type Store } from "./index.ts";

let folder: string;
let path: string;
let copy: string;
let payers: Payer[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-backup-"));
  path = join(folder, "rig.db");
  copy = join(folder, "copy.db");
  payers = [];
});
afterEach(async () => {
  for (const payer of payers) await payer.kill();
  rmSync(folder, { recursive: true });
});

async function payer(): Promise<Payer> {
  const made = await Payer.start(path);
  payers.push(made);
  return made;
}

function within<T>(where: string, use: (store: Store) => T): T {
  const store = openStore(where, { readOnly: isBackup(where) });
  try {
    return use(store);
  } finally {
    store.close();
  }
}

async function backedUp(): Promise<void> {
  const store = openStore(path);
  await store.backup(copy);
  store.close();
}

describe("a backup", () => {
  test("is finished while another process writes, is whole, and for its owner only", async () => {
    const busy = await payer();
    await busy.pay(0, 20);
    const paying = busy.pay(20, 120);
    await backedUp();
    expect(await paying).toBe("paid");
    expect(statSync(copy).mode & 0o077).toBe(0);
    expect(within(copy, (store) => [store.check(), store.ledger.get("exec_19")?.state])).toEqual([
      [],
      "completed",
    ]);
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  test("is not changed by those who look into it", async () => {
    (await payer()).pay(0, 3);
    await backedUp();
    const before = readFileSync(copy);
    within(copy, (store) => store.records.verify());
    expect(readFileSync(copy).equals(before)).toBe(true);
    expect(existsSync(`${copy}-wal`)).toBe(false);
  });

  test("is whole and known as a backup where several are made to one target at once", async () => {
    const store = openStore(path);
    store.records.store(Array.from({ length: 3_000 }, (_, index) => sampleRecord(index)));
    for (let round = 0; round < 3; round++) {
      const made = await Promise.all([store.backup(copy), store.backup(copy), store.backup(copy)]);
      expect(made.map(({ path: target }) => target)).toEqual([copy, copy, copy]);
      expect(isBackup(copy)).toBe(true);
    }
    store.close();
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  test("verifies after the process is gone that had not recorded its latest call yet", async () => {
    // Without a store for its records: as in the moment between an outcome and its record.
    const program = `
      import { Executor } from "@toolrig/core";
      import { scriptedTool } from "@toolrig/core/testing";
      import { openStore } from "@toolrig/store";
      const store = openStore(process.argv[1]);
      const pay = scriptedTool({ name: "pay", safety: { sideEffects: "external" } });
      const executor = new Executor({ tools: [pay], ledger: store.ledger });
      await executor.call({ id: "c", name: "pay", arguments: {} }, { executionId: "pay_1" });
      await store.backup(process.argv[2]);
      process.kill(process.pid, "SIGKILL");`;
    const flags = ["--conditions=@toolrig/source", "--no-warnings", "--input-type=module", "-e", program];
    spawnSync(process.execPath, [...flags, path, copy], { cwd: import.meta.dirname });
    expect(within(copy, ({ records }) => records.verify().problems)).toEqual([]);
    restoreStore(copy, path);
    expect(within(path, ({ records, recovered }) => [recovered, records.verify().ok])).toEqual([1, true]);
  });

  test.skipIf(process.getuid === undefined)("is made of a store in a folder that can only be read", () => {
    const readable = join(folder, "readable");
    mkdirSync(readable);
    openStore(join(readable, "rig.db")).close();
    // The superuser may write to any folder.
    const program = `
      import { backUp } from ${JSON.stringify(new URL("./backup.ts", import.meta.url).href)};
      if (process.getuid() === 0) process.seteuid(65534);
      backUp(process.argv[1], process.argv[2]);`;
    const flags = ["--conditions=@toolrig/source", "--no-warnings", "--input-type=module", "-e", program];
    chmodSync(join(readable, "rig.db"), 0o644);
    chmodSync(folder, 0o777);
    chmodSync(readable, 0o555);
    const { stderr } = spawnSync(process.execPath, [...flags, join(readable, "rig.db"), copy], {
      cwd: import.meta.dirname,
    });
    chmodSync(readable, 0o755);
    expect(`${stderr}`).toBe("");
    expect(isBackup(copy)).toBe(true);
  });

  test("removes what a backup left that was killed", async () => {
    const ended = spawnSync(process.execPath, ["--version"]);
    const left = `${copy}.unfinished-${ended.pid}-draft_1`;
    writeFileSync(left, "half");
    writeFileSync(`${left}-journal`, "half");
    await backedUp();
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  test("replaces an older backup, and nothing else", async () => {
    const store = openStore(path);
    await store.backup(copy);
    await store.backup(copy);
    await expect(store.backup(path)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    writeFileSync(join(folder, "notes.txt"), "mine");
    await expect(store.backup(join(folder, "notes.txt"))).rejects.toMatchObject({ code: "OPTION_INVALID" });
    store.close();
  });
});

describe("a restore after a crash", () => {
  /** Five payments are in the backup; five more were made since, by a process that was killed. */
  async function crashed(): Promise<void> {
    const early = await payer();
    await early.pay(0, 5);
    await early.close();
    await backedUp();
    const late = await payer();
    await late.pay(5, 10);
    await late.kill();
  }

  test.each([
    ["by the command", () => void restoreStore(copy, path)],
    ["by hand, with the log of the dead process left", () => copyFileSync(copy, path)],
  ])("%s is the backup, and repeats nothing that was done since", async (_, restore) => {
    await crashed();
    restore();
    const store = openStore(path);
    expect(store.check()).toEqual([]);
    expect(store.ledger.get("exec_4")?.state).toBe("completed");
    expect(store.ledger.get("exec_9")).toBeUndefined();
    expect(store.restored?.from).toBeLessThan(store.restored?.at ?? 0);
    store.close();
    const next = await payer();
    expect(await next.pay(0, 5)).toBe("paid");
    expect(await next.pay(5, 10)).toBe("TOOL_OUTCOME_UNKNOWN");
    await next.close();
    expect(paidTwice(path)).toEqual([]);
    expect(readdirSync(folder).some((name) => /before-restore|set-aside/.test(name))).toBe(true);
  });

  test("lets new calls run, idempotent ones again, and others once a person has said that they never ran", async () => {
    await crashed();
    restoreStore(copy, path);
    const store = openStore(path);
    const pay = scriptedTool({ name: "pay", safety: { sideEffects: "external" } });
    const safe = scriptedTool({ name: "put", safety: { sideEffects: "write", idempotent: true } });
    const executor = new Executor({ tools: [pay, safe], ledger: store.ledger });
    const call = (name: string, executionId?: string) =>
      executor.call({ id: "c", name, arguments: {} }, executionId === undefined ? {} : { executionId });
    expect((await call("pay")).isError).toBe(false);
    expect((await call("put", "put_1")).isError).toBe(false);
    expect((await call("pay", "pay_1")).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    expect(store.ledger.inDoubt().map(({ executionId }) => executionId)).toEqual(["pay_1"]);
    await store.ledger.settle("pay_1", {
      outcome: "never-ran",
      by: { id: "ada" },
      why: "not on the statement",
    });
    expect((await call("pay", "pay_1")).isError).toBe(false);
    store.acceptRestore({ by: { id: "ada" }, why: "compared" });
    expect(store.restored).toBeUndefined();
    expect((await call("pay", "pay_2")).isError).toBe(false);
    store.close();
    expect(within(path, ({ restored }) => restored)).toBeUndefined();
  });

  test("sets a damaged or incomplete store aside with its log", async () => {
    await crashed();
    const log = readFileSync(`${path}-wal`);
    rmSync(path);
    const { setAside } = restoreStore(copy, path);
    expect(readFileSync(`${setAside}-wal`).equals(log)).toBe(true);
    expect(within(path, (store) => store.ledger.get("exec_4")?.state)).toBe("completed");
  });

  test("from a copy that is not whole is refused, and changes nothing", async () => {
    await crashed();
    writeFileSync(copy, readFileSync(copy).subarray(0, 20_000));
    const before = readdirSync(folder).sort();
    expect(() => restoreStore(copy, path)).toThrow(/damaged/);
    expect(readdirSync(folder).sort()).toEqual(before);
    expect(within(path, (store) => store.ledger.get("exec_9")?.state)).toBe("completed");
  });
});
