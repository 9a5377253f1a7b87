/**
 * Shows how well broken JSON is repaired and how careful tools that write are with it: the public cases in the shared
 * corpora, texts with one reading and with two, texts cut at every position, source code with unescaped quotes, and linear time.
 */
import type { Proof, Verdict } from "./proof.ts";
import { proveAmbiguity } from "./repair/ambiguous.ts";
import { proveCases, proveLimits } from "./repair/corpus.ts";
import { proveCuts } from "./repair/cuts.ts";
import { proveGrowth } from "./repair/growth.ts";
import { proveSourceCode } from "./repair/source-code.ts";

export const proof: Proof = {
  name: "repair",
  claim: "broken JSON is repaired exactly and in linear time, and nothing cut off or guessed is ever written",
  async run(mode, print): Promise<Verdict> {
    const verdict: Verdict = { passed: 0, failed: 0 };
    const check = (name: string, holds: boolean, detail: string) => {
      print(`${holds ? "ok  " : "FAIL"} ${name.padEnd(48)} ${detail}`);
      if (holds) verdict.passed++;
      else verdict.failed++;
    };
    if (!proveCases(check, print))
      verdict.skipped = "the public cases are not beside the repository (shared/corpora/repair)";
    proveLimits(check);
    await proveAmbiguity(check, print);
    await proveCuts(check, mode);
    await proveSourceCode(check, print, mode);
    if (mode === "full") proveGrowth(check);
    return verdict;
  },
};
