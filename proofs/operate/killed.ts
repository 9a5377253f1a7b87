import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { openStore } from "@toolrig/store";
import { Payer, paidTwice } from "../../packages/store/test/payer.ts";
import { crashed } from "./episodes.ts";
import { expectThat } from "./expect-that.ts";
import { startToolrig, toolrig } from "./toolrig.ts";

/** Kills a command once it has made so many changes in the store's folder, or lets it end. */
async function killAfter(path: string, changes: number, ...args: string[]): Promise<string> {
  let seen = 0;
  const child = startToolrig(path, ...args);
  const watcher = watch(dirname(path), () => {
    seen += 1;
    if (seen >= changes) child.kill("SIGKILL");
  });
  const [status] = (await once(child, "exit")) as [number | null];
  watcher.close();
  return status === null ? `killed at change ${changes}` : `ended before change ${changes}`;
}

/** What a killed backup leaves is no backup: the one from before is whole, and the next one is made. */
export async function killedBackup(path: string, changes: number): Promise<string> {
  const copy = await crashed(path);
  const saw = await killAfter(path, changes, "backup", copy);
  const verified = toolrig(copy, "audit", "verify");
  expectThat(verified.status === 0, `${saw}: the backup from before is no longer whole: ${verified.said}`);
  const again = toolrig(path, "backup", copy);
  expectThat(again.status === 0, `${saw}: no backup afterwards: ${again.said}`);
  const left = readdirSync(dirname(path)).filter((name) => name.includes("unfinished"));
  expectThat(left.length === 0, `${saw}: ${left[0]} is left`);
  const store = openStore(copy, { readOnly: true });
  const known = [0, 9].every((n) => store.ledger.get(`exec_${n}`)?.state === "completed");
  store.close();
  expectThat(known, `${saw}: the backup lacks payments`);
  return `${saw}; the backup from before is whole; did toolrig backup again: whole`;
}

/** After a killed restore the place has the old store, the restored one, or one that is refused; the command is given again. */
export async function killedRestore(path: string, changes: number): Promise<string> {
  const copy = await crashed(path);
  const kept = `${path}.kept`;
  copyFileSync(copy, kept);
  const saw = await killAfter(path, changes, "restore", copy);
  const found = await askAgain(path);
  const repaired = toolrig(path, "restore", kept);
  expectThat(repaired.status === 0, `${saw}: restore does not work again: ${repaired.said}`);
  const last = await askAgain(path);
  expectThat(last === "paid, then TOOL_OUTCOME_UNKNOWN", `${saw}: restored again, and ${last}`);
  return `${saw}, found: ${found}; did toolrig restore again: ${last}`;
}

/** Every payment is asked for again. None may be made a second time, whatever state the store is in. */
async function askAgain(path: string): Promise<string> {
  if (!existsSync(path)) return `no ${basename(path)}`;
  const payer = await Payer.start(path).catch((error: Error) => error.message);
  if (typeof payer === "string") {
    const { status } = toolrig(path, "open");
    expectThat(status !== 0, "a store that cannot be opened is called well");
    return "refused";
  }
  try {
    const early = await payer.pay(0, 5);
    const late = await payer.pay(5, 10);
    expectThat(paidTwice(path).length === 0, `a payment was repeated: ${paidTwice(path)}`);
    return early === late ? early : `${early}, then ${late}`;
  } finally {
    await payer.kill();
  }
}
