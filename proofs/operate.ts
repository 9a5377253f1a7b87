import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EPISODES, type Episode } from "./operate/episodes.ts";
import { flipped } from "./operate/flipped.ts";
import { killedBackup, killedRestore } from "./operate/killed.ts";
import { onFullDiskAgain } from "./operate/on-full-disk.ts";
import { powerCut } from "./operate/power-cut.ts";
import { replaced } from "./operate/replaced.ts";
import { hasStrace, syncedOnly } from "./operate/synced.ts";
import type { Proof } from "./proof.ts";

/** Episodes of the quick form: the others lose and replace one file after the other, as tests of the store do. */
const QUICK = 2;

export const proof: Proof = {
  name: "operate",
  claim:
    "Following the operating guide (backup, prune, restore, lost, replaced and damaged files, power cuts) repeats nothing and loses nothing silently",

  async run(mode, print) {
    const isFull = mode === "full";
    const times = (
      count: number,
      what: string,
      run: (path: string, n: number) => Promise<string>,
    ): Episode[] =>
      Array.from({ length: count }, (_, n) => ({ what: `${what} ${n + 1}`, run: (path) => run(path, n) }));
    let failed = 0;
    const all: Episode[] = [
      ...EPISODES.slice(0, isFull ? EPISODES.length : QUICK),
      ...(isFull ? replaced : []),
      ...times(isFull ? 12 : 1, "crash, backup killed at change", (path, n) => killedBackup(path, n * 3 + 1)),
      ...times(isFull ? 12 : 1, "crash, restore killed at change", (path, n) =>
        killedRestore(path, n * 2 + 2),
      ),
      ...onFullDiskAgain.slice(0, isFull ? 2 : 1),
      {
        what: "bits flipped in every table with checksums",
        run: (path) => flipped(path, isFull ? 64 : 2),
      },
      ...times(isFull ? 48 : 1, "power cut", powerCut),
      ...(hasStrace()
        ? times(isFull ? 3 : 0, "power cut, only what was synced", (path) => syncedOnly(path, 12))
        : []),
    ];
    for (const { what, run } of all) {
      const folder = mkdtempSync(join(tmpdir(), "toolrig-operate-"));
      try {
        const saw = await run(join(folder, "toolrig.db"));
        print(`ok   ${what.padEnd(60)} ${saw}`);
      } catch (error) {
        failed += 1;
        print(`MISS ${what.padEnd(60)} ${(error as Error).message}`);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
    print(`${all.length - failed} passed, ${failed} failed`);
    const skipped = hasStrace() ? undefined : "images of what was synced: strace is not installed";
    return { passed: all.length - failed, failed, ...(skipped !== undefined && { skipped }) };
  },
};
