/** A store that fails as a side effect ends: its process keeps the outcome, answers with it, and stores it later. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Executor, tool } from "@toolrig/core";
import { openStore } from "@toolrig/store";
import type { FailureRow } from "./failures.ts";

/** A lock that outlasts `busyTimeout`, which is two seconds. */
const LOCKED_MS = 5_000;

interface Trouble {
  /** Called while the tool runs. */
  begin(): Promise<unknown>;
  /** Resolves once the store can be written again. */
  end(): Promise<unknown>;
}

export async function unstoredTable(): Promise<FailureRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-unstored-"));
  try {
    const locked = join(folder, "locked.db");
    return [
      await row("locked by another process for five seconds", locked, lockedBy(locked)),
      await onSmallDisk(join(folder, "disk")),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function row(what: string, path: string, trouble: Trouble): Promise<FailureRow> {
  const store = openStore(path);
  let effects = 0;
  const pay = tool({
    name: "pay",
    description: "Pay",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    async execute() {
      await trouble.begin();
      effects += 1;
      return "paid".padEnd(20_000, ".");
    },
  });
  const executor = new Executor({ tools: [pay], ledger: store.ledger, store: store.recorder });
  const ask = () => executor.call({ id: "c", name: "pay", arguments: {} }, { executionId: "exec_pay" });
  const wrong: string[] = [];
  const expect = (holds: boolean, otherwise: string) => {
    if (!holds) wrong.push(otherwise);
  };
  expect(!(await ask()).isError, "the call failed");
  expect(!executor.health().healthy, "health was not degraded");
  expect(!(await ask()).isError, "asked again, it was not answered with its result");
  await trouble.end();
  while (!executor.health().healthy) await new Promise((resolve) => setTimeout(resolve, 20));
  await executor.drain();
  const { state } = store.ledger.get("exec_pay") ?? {};
  const { ledger, recordsDropped } = executor.health();
  const records = store.records.query({ tool: "pay" }).records.map(({ result }) => result.isError);
  expect(state === "completed", `the ledger says ${state}`);
  expect(ledger.completed === 1 && ledger.unknown === 0, `counted ${JSON.stringify(ledger)}`);
  expect(records.length === 1 && records[0] === false, `${records.length} records`);
  expect(recordsDropped === 0, `${recordsDropped} records dropped`);
  expect(store.records.verify().ok, "the audit does not verify");
  expect(effects === 1, `${effects} effects`);
  store.close();
  const saw = wrong.length === 0 ? "answered from memory, then stored and recorded once" : wrong.join("; ");
  return { what, saw, ok: wrong.length === 0 };
}

function lockedBy(path: string): Trouble {
  let holder: ChildProcess | undefined;
  const program = `
    const { DatabaseSync } = require("node:sqlite");
    const file = new DatabaseSync(process.argv[1]);
    file.exec("BEGIN IMMEDIATE");
    console.log("locked");
    setTimeout(() => file.close(), ${LOCKED_MS});`;
  return {
    async begin() {
      holder = spawn(process.execPath, ["--no-warnings", "-e", program, path], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(holder.stdout!, "data");
    },
    async end() {
      if (holder?.exitCode === null) await once(holder, "exit");
    },
  };
}

/** A file beside the store takes all space while the tool runs. */
async function onSmallDisk(disk: string): Promise<FailureRow> {
  const what = "disk full (a file system of 1 MB)";
  mkdirSync(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]).status !== 0)
    return { what, saw: "only the superuser can make a small disk", ok: true, skipped: true };
  const other = join(disk, "other");
  const fill = () => {
    for (let size = 524_288; size >= 512; size /= 2) {
      try {
        writeFileSync(other, Buffer.alloc(size), { flag: "a" });
        size *= 2;
      } catch {
        // Less fits.
      }
    }
  };
  try {
    return await row(what, join(disk, "rig.db"), {
      begin: async () => fill(),
      end: async () => rmSync(other),
    });
  } finally {
    execFileSync("umount", [disk]);
  }
}
