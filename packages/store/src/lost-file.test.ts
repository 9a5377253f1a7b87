import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Payer, paidTwice } from "../test/payer.ts";
import { openStore, type Store } from "./open-store.ts";
import { restoreStore } from "./restore.ts";

let folder: string;
let path: string;
let payers: Payer[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-lost-"));
  path = join(folder, "rig.db");
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

/** A process has paid exec_0 to exec_9 and was killed: what it wrote last is in the log only. */
async function killedPayer(): Promise<void> {
  const one = await payer();
  expect(await one.pay(0, 10)).toBe("paid");
  await one.kill();
}

/** The files beside each other, with their bytes. */
function files(): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.endsWith("-shm"))
      .map((name) => [name, readFileSync(join(folder, name)).toString("base64")]),
  );
}

function refusal(options = {}): unknown {
  try {
    openStore(path, options).close();
  } catch (error) {
    return (error as { details?: { problem?: string } }).details?.problem;
  }
  return "opened";
}

describe("after a process was killed, a store", () => {
  test("opens with all that it was told is written", async () => {
    await killedPayer();
    const store = openStore(path);
    expect(store.ledger.get("exec_9")?.state).toBe("completed");
    store.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test.each([
    ["whose log was deleted", "no-log", () => rmSync(`${path}-wal`)],
    ["whose log was truncated", "no-log", () => truncateSync(`${path}-wal`)],
    ["whose file was deleted", "no-file", () => rmSync(path)],
    ["whose file was truncated", "empty", () => truncateSync(path)],
  ])("%s is refused, and nothing of it is changed", async (_, problem, lose) => {
    await killedPayer();
    lose();
    const before = files();
    expect(refusal()).toBe(problem);
    expect(refusal({ readOnly: true })).toBe(problem);
    expect(files()).toEqual(before);
  });

  test("of which only the main file was copied is refused", async () => {
    await killedPayer();
    const copy = join(folder, "copy.db");
    copyFileSync(path, copy);
    path = copy;
    expect(refusal()).toBe("no-log");
  });

  test("whose log is another store's is refused", async () => {
    await killedPayer();
    const other = path;
    path = join(folder, "second.db");
    await killedPayer();
    copyFileSync(`${other}-wal`, `${path}-wal`);
    expect(refusal()).toBe("other-log");
  });
});

describe("a store whose process was killed in the first write to its log opens again", () => {
  /** The header of a log and the first frame of a transaction that was not committed. */
  const begun = Buffer.alloc(32 + 24 + 4_096);
  begun.writeUInt32BE(0x377f0682, 0);
  begun.writeUInt32BE(4_096, 8);

  test.each([16, 32, 40, begun.length])("with a log of %i bytes", (bytes) => {
    openStore(path).close();
    writeFileSync(`${path}-wal`, begun.subarray(0, bytes));
    expect(refusal()).toBe("opened");
  });
});

test("a store that another program has written to opens, with what it wrote still in the log", () => {
  openStore(path).close();
  const other = new DatabaseSync(path);
  other.exec("CREATE TABLE notes (text)");
  expect(refusal()).toBe("opened");
  other.close();
});

test("a store is whole on disk from the moment it has its name", () => {
  const store = openStore(path);
  const alone = join(folder, "alone.db");
  copyFileSync(path, alone);
  store.close();
  const copy = new DatabaseSync(alone);
  expect(copy.prepare("PRAGMA user_version").get()).toEqual({ user_version: 5 });
  expect(copy.prepare("SELECT length(store) AS bytes FROM identity").get()).toEqual({ bytes: 16 });
  copy.close();
  expect(readdirSync(folder).filter((name) => name.includes(".new-"))).toEqual([]);
});

test("the log of a dead process is refused beside a copy from before that was put in the place of its file", async () => {
  openStore(path).close();
  const early = await payer();
  await early.pay(0, 5);
  await early.close();
  const copy = join(folder, "copy.db");
  copyFileSync(path, copy);
  for (const from of [5, 10]) {
    const late = await payer();
    await late.pay(from, from + 5);
    if (from === 5) await late.close();
    else await late.kill();
  }
  const log = readFileSync(`${path}-wal`);
  copyFileSync(copy, path);
  expect(refusal()).toBe("other-log");
  expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
  expect(readFileSync(path).equals(readFileSync(copy))).toBe(true);
});

describe("while it is open, a store", () => {
  test.each([
    ["whose file is overwritten with an older copy", (copy: string) => copyFileSync(copy, path)],
    ["whose file is truncated", () => truncateSync(path)],
    ["whose log is truncated", () => truncateSync(`${path}-wal`)],
  ])("%s refuses side effects, and repeats none", async (_, replace) => {
    const early = await payer();
    await early.pay(0, 5);
    await early.close();
    const copy = join(folder, "copy.db");
    copyFileSync(path, copy);
    const late = await payer();
    await late.pay(5, 10);
    replace(copy);
    expect(await late.pay(20, 25)).toContain("TOOL_UNAVAILABLE");
    await late.pay(0, 10);
    expect(paidTwice(path)).toEqual([]);
  });
});

describe("a store that was not closed opens again", () => {
  const source = (more: string) => `
    import { openStore } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
    globalThis.store = openStore(${JSON.stringify("PATH")});
    store.descriptions.set("a", "b");
    ${more}`;

  test("after its thread was terminated, and after its thread ended", async () => {
    for (const more of ["setInterval(() => {}, 1000);", ""]) {
      path = join(folder, `thread${more.length}.db`);
      const script = join(folder, `thread${more.length}.mjs`);
      writeFileSync(
        script,
        source(
          `import("node:worker_threads").then(({ parentPort }) => parentPort.postMessage(1)); ${more}`,
        ).replace("PATH", path),
      );
      const worker = new Worker(script, { execArgv: ["--conditions=@toolrig/source", "--no-warnings"] });
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      await new Promise((resolve) => worker.once("message", resolve));
      if (more !== "") await worker.terminate();
      await ended;
      const store = openStore(path);
      expect(store.descriptions.get("a")).toBe("b");
      store.close();
    }
  });
});

test("two stores of one process, and one that is closed first, keep each other's log", () => {
  const open = (): Store => openStore(path);
  const one = open();
  one.descriptions.set("a", "b");
  const two = open();
  two.descriptions.set("a", "c");
  one.close();
  two.descriptions.set("a", "d");
  two.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  const three = open();
  expect(three.descriptions.get("a")).toBe("d");
  three.close();
});

describe("another program's database", () => {
  test.each([
    ["with tables", "CREATE TABLE theirs (x)"],
    ["that is empty and has an application id", "PRAGMA application_id = 7"],
    ["that has nothing in it", "PRAGMA user_version = 0; VACUUM"],
  ])("%s is not touched", (_, sql) => {
    const theirs = new DatabaseSync(path);
    theirs.exec(sql);
    theirs.close();
    const before = statSync(path).size === 0 ? undefined : files();
    expect(["not-a-store", "no-log", "empty"]).toContain(refusal());
    if (before !== undefined) expect(files()).toEqual(before);
  });
});

describe("a store that is opened through a link to its file", () => {
  let link: string;
  beforeEach(() => {
    link = join(folder, "linked", "rig.db");
    mkdirSync(join(folder, "linked"));
    symlinkSync(path, link);
  });

  test("is the same store for those who open the file, with one log", async () => {
    const one = await payer();
    expect(await one.pay(0, 2)).toBe("paid");
    const two = await Payer.start(link);
    payers.push(two);
    expect(await two.pay(2, 4)).toBe("paid");
    expect(await one.pay(4, 6)).toBe("paid");
    await one.kill();
    await two.kill();
    const store = openStore(link);
    expect([0, 3, 5].map((n) => store.ledger.get(`exec_${n}`)?.state)).toEqual(Array(3).fill("completed"));
    store.close();
  });

  test.each([false, true])("is restored where its file is (lost: %s)", async (isLost) => {
    const store = openStore(path);
    const backup = join(folder, "backup.db");
    await store.backup(backup);
    store.close();
    if (isLost) rmSync(path);
    restoreStore(backup, link);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    const restored = openStore(path);
    expect(restored.restored).toBeDefined();
    restored.close();
  });

  test("is not made anew where the link leads nowhere", () => {
    expect(() => openStore(link)).toThrow(`it is a link to ${path}, where there is no file`);
    expect(existsSync(path)).toBe(false);
  });
});
