import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EPISODES } from "./operate/episodes.ts";
import { flipped } from "./operate/flipped.ts";
import { powerCut } from "./operate/power-cut.ts";
import type { Proof } from "./proof.ts";

export const proof: Proof = {
  name: "operate",
  claim:
    "Following the operating guide (backup, prune, restore, lost, replaced and damaged files, power cuts) repeats nothing and loses nothing silently",

  async run(mode, print) {
    const cuts = Array.from({ length: mode === "full" ? 48 : 2 }, (_, n) => ({
      what: `power cut ${n + 1}`,
      run: (path: string) => powerCut(path, n),
    }));
    const flips = {
      what: "bits flipped in every table with checksums",
      run: (path: string) => flipped(path, mode === "full" ? 64 : 4),
    };
    let failed = 0;
    const all = [...EPISODES, flips, ...cuts];
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
    return { passed: all.length - failed, failed };
  },
};
