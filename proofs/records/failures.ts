import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { sampleRecord } from "@toolrig/core/testing";
import { openStore, type Store } from "@toolrig/store";
import { type Attempt, attempt } from "./attempt.ts";

export interface FailureRow {
  what: string;
  saw: string;
  ok: boolean;
  skipped?: true;
}

/** What must be seen when the file is in this state. */
interface Case {
  what: string;
  problem: string;
  /** Where the error shows: the store does not open, or opens and refuses to write. */
  at: "open" | "write";
  /** Whether what was recorded can still be read. */
  readable: boolean;
  run(path: string, folder: string): Attempt | "skipped" | Promise<Attempt | "skipped">;
}

const CASES: readonly Case[] = [
  {
    what: "disk full (a file system of 1 MB)",
    problem: "full",
    at: "write",
    readable: true,
    run: (_, folder) => onSmallDisk(folder),
  },
  {
    what: "file at its size limit",
    problem: "full",
    at: "write",
    readable: true,
    run: (path) => attempt(path, { maxBytes: 600_000 }, fill),
  },
  {
    what: "file and folder not writable",
    problem: "read-only",
    at: "write",
    readable: true,
    run: unwritable,
  },
  {
    what: "opened for reading only",
    problem: "read-only",
    at: "write",
    readable: true,
    run: (path) => attempt(path, { readOnly: true }),
  },
  { what: "locked by another process", problem: "locked", at: "write", readable: true, run: locked },
  {
    what: "file deleted while it is open",
    problem: "replaced",
    at: "write",
    readable: true,
    run: (path) => attempt(path, {}, (store) => whileOpen(store, () => removeFiles(path))),
  },
  {
    what: "file renamed and made anew while it is open",
    problem: "replaced",
    at: "write",
    readable: true,
    run: (path) =>
      attempt(path, {}, (store) =>
        whileOpen(store, () => {
          for (const end of ["", "-wal", "-shm"]) renameSync(`${path}${end}`, `${path}.old${end}`);
          prepare(path);
        }),
      ),
  },
  {
    what: "log beside the file deleted while it is open",
    problem: "replaced",
    at: "write",
    readable: true,
    run: (path) => attempt(path, {}, (store) => whileOpen(store, () => rmSync(`${path}-wal`))),
  },
  {
    what: "pages overwritten with rubbish",
    problem: "corrupt",
    at: "open",
    readable: false,
    run: corrupted,
  },
  {
    what: "written by a newer version",
    problem: "newer-version",
    at: "open",
    readable: false,
    run: (path) => changed(path, "PRAGMA user_version = 99"),
  },
  {
    what: "a database of another program",
    problem: "not-a-store",
    at: "open",
    readable: false,
    run: (_, folder) => changed(join(folder, "other.db"), "CREATE TABLE theirs (id INTEGER)"),
  },
  {
    what: "not a database at all",
    problem: "not-a-store",
    at: "open",
    readable: false,
    run(_, folder) {
      const path = join(folder, "notes.txt");
      writeFileSync(path, "Dear diary, today I was opened as a database.\n".repeat(50));
      return attempt(path);
    },
  },
];

export async function failureTable(): Promise<FailureRow[]> {
  const rows: FailureRow[] = [];
  for (const each of CASES) {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-failure-"));
    const path = join(folder, "rig.db");
    prepare(path);
    try {
      rows.push(rowOf(each, await each.run(path, folder)));
    } finally {
      chmodSync(folder, 0o700);
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return rows;
}

function rowOf({ what, problem, at, readable }: Case, seen: Attempt | "skipped"): FailureRow {
  if (seen === "skipped")
    return { what, saw: "only the superuser can make a small disk", ok: true, skipped: true };
  const wrong: string[] = [];
  if (seen.problem !== problem) wrong.push(`reported as ${seen.problem}`);
  if (seen.at !== at) wrong.push(`shown at ${seen.at}`);
  if (at === "write" && seen.refusal !== "TOOL_UNAVAILABLE") wrong.push(`the write came to ${seen.refusal}`);
  if (at === "write" && seen.effects !== 0) wrong.push(`the refused write had ${seen.effects} effects`);
  if (at === "write" && seen.allowed !== true) wrong.push('onUnrecorded "run" did not run it');
  if (seen.readServed !== true) wrong.push("the read tool was not served");
  if (readable && seen.recordsRead < 1) wrong.push("records could not be read");
  return {
    what,
    saw: wrong.length === 0 ? seen.message : `${wrong.join("; ")} (${seen.message})`,
    ok: wrong.length === 0,
  };
}

function prepare(path: string): void {
  const store = openStore(path);
  store.records.store([sampleRecord(1), sampleRecord(2)]);
  store.close();
}

/** Something that happens to a store that has been written to and is not closed. */
async function whileOpen(store: Store, happens: () => void): Promise<void> {
  await store.catalog.put({ kind: "tool", name: "y", spec: "y" });
  happens();
}

function removeFiles(path: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`);
}

/** Fills the file until not even an intent fits any more. */
async function fill(store: ReturnType<typeof openStore>): Promise<void> {
  const large = sampleRecord(3, { rawArguments: "x".repeat(20_000) });
  await untilFull(() => store.records.store([large]));
  await untilFull((index) =>
    store.ledger.intend({
      executionId: `filler_${index}`,
      fingerprint: "",
      name: "",
      version: undefined,
      args: undefined,
      callId: "",
      runId: undefined,
    }),
  );
}

async function untilFull(write: (index: number) => unknown): Promise<void> {
  try {
    for (let index = 0; ; index++) await write(index);
  } catch {
    // Full, as asked for.
  }
}

async function onSmallDisk(folder: string): Promise<Attempt | "skipped"> {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]).status !== 0) return "skipped";
  try {
    prepare(join(disk, "rig.db"));
    return await attempt(join(disk, "rig.db"), {}, fill);
  } finally {
    execFileSync("umount", [disk]);
  }
}

/** The superuser may write to anything, so somebody else tries. */
function unwritable(path: string, folder: string): Attempt | Promise<Attempt> {
  chmodSync(path, 0o444);
  chmodSync(folder, 0o555);
  if (process.getuid?.() !== 0) return attempt(path);
  const nobody = 65_534;
  const child = fileURLToPath(new URL("./attempt-main.ts", import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ["--conditions=@toolrig/source", child, path], {
    uid: nobody,
    gid: nobody,
    encoding: "utf8",
    cwd: "/",
    env: {},
  });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Attempt;
}

async function locked(path: string): Promise<Attempt> {
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  try {
    return await attempt(path, { busyTimeout: 50 });
  } finally {
    other.exec("ROLLBACK");
    other.close();
  }
}

/** All pages but those of the list of tables. */
function corrupted(path: string): Promise<Attempt> {
  const database = new DatabaseSync(path);
  const page = database.prepare("PRAGMA page_size").get()!.page_size as number;
  const kept = database.prepare("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'").all();
  const keep = new Set([1, 2, ...kept.map(({ pageno }) => pageno as number)]);
  database.close();
  const file = openSync(path, "r+");
  for (let number = 1; number <= statSync(path).size / page; number++)
    if (!keep.has(number)) writeSync(file, Buffer.alloc(page, 0xa5), 0, page, (number - 1) * page);
  closeSync(file);
  return attempt(path);
}

function changed(path: string, sql: string): Promise<Attempt> {
  const file = new DatabaseSync(path);
  file.exec(sql);
  file.close();
  return attempt(path);
}
