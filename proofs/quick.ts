import { expect, test } from "vitest";
import { loadProof } from "./load-proof.ts";
import { proofNames } from "./proof-names.ts";

/** How many files of tests the quick proofs are dealt out to, so that they run beside each other. Most of the rest keep a core busy. */
const SHARES = { tested: 6, rest: 3 };

/**
 * Proofs whose quick version tries what tests of the packages try part by part: `npm test` leaves them out, and `npm run test:proofs` and
 * `.ci/run` run them.
 */
const SHOWN_BY_TESTS: ReadonlySet<string> = new Set([
  "chaos",
  "cluster",
  "console",
  "escape",
  "extract",
  "fleet-hostile",
  "fresh",
  "injection",
  "load",
  "mcp-conformance",
  "mcp-hostile",
  "rate",
  "records",
  "repair",
  "runtimes",
  "waiting",
]);

/** The quick versions of one share of the proofs, as tests: of those that `npm test` runs, or of the rest. */
export function testQuickProofs(share: number, which: "tested" | "rest"): void {
  const names = proofNames()
    .filter((name) => SHOWN_BY_TESTS.has(name) === (which === "rest"))
    .filter((_, index) => index % SHARES[which] === share);
  test.for(names)("%s holds in its quick version", async (name, { annotate }) => {
    const lines: string[] = [];
    const verdict = await (await loadProof(name)).run("quick", (line) => lines.push(line));
    expect(verdict.failed, lines.join("\n")).toBe(0);
    if (verdict.skipped !== undefined) await annotate(verdict.skipped, "skipped");
    const shown = verdict.passed > 0 || verdict.skipped !== undefined;
    expect(shown, "a proof shows something or says why not").toBe(true);
  });
}
