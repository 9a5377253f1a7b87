import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { openStore } from "@toolrig/store";
import { Payer } from "../../packages/store/test/payer.ts";
import { expectThat } from "./expect-that.ts";

/** What the disk holds when the power fails: a frozen copy of the files while payments are made, with and without the shared index. */
export async function powerCut(path: string, n: number): Promise<string> {
  const payer = await Payer.start(path);
  const copy = `${path}.cut`;
  try {
    await payer.pay(0, 3 + (n % 7));
    void payer.pay(100, 100_000).catch(() => {});
    while (paid(path).length < 10 + n * 3) await new Promise((resolve) => setImmediate(resolve));
    payer.stop();
    // The last one may be under way; those before it were answered, and so are on disk.
    const answered = paid(path).slice(0, -1);
    for (const end of n % 2 === 0 ? ["", "-wal", "-shm"] : ["", "-wal"])
      if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${copy}${end}`);
    const store = openStore(copy);
    try {
      const lost = answered.filter((id) => store.ledger.get(id)?.state !== "completed");
      expectThat(
        lost.length === 0,
        `${lost.length} of ${answered.length} answered payments are not in the ledger: ${lost[0]}`,
      );
      expectThat(store.check().length === 0, "the file is damaged");
      expectThat(store.records.verify().ok, "the audit is broken");
    } finally {
      store.close();
    }
    return `${answered.length} answered, all there`;
  } finally {
    await payer.kill();
  }
}

function paid(path: string): string[] {
  return existsSync(`${path}.world`) ? readFileSync(`${path}.world`, "utf8").trim().split("\n") : [];
}
