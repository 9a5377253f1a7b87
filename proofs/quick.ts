import { expect, test } from "vitest";
import { loadProof, proofNames } from "./load-proof.ts";

/** How many files of tests the quick proofs are dealt out to, so that they run beside each other. */
const SHARES = 3;

/** The quick versions of one share of the proofs, as tests. */
export function testQuickProofs(share: number): void {
  const names = proofNames().filter((_, index) => index % SHARES === share);
  test.for(names)("%s holds in its quick version", async (name, { annotate }) => {
    const lines: string[] = [];
    const verdict = await (await loadProof(name)).run("quick", (line) => lines.push(line));
    expect(verdict.failed, lines.join("\n")).toBe(0);
    if (verdict.skipped !== undefined) await annotate(verdict.skipped, "skipped");
    const shown = verdict.passed > 0 || verdict.skipped !== undefined;
    expect(shown, "a proof shows something or says why not").toBe(true);
  });
}
