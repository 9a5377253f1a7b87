import { expect, test } from "vitest";
import { loadProof, proofNames } from "./load.ts";

test.each(proofNames())("%s holds in its quick version", { timeout: 400_000 }, async (name) => {
  const lines: string[] = [];
  const verdict = await (await loadProof(name)).run("quick", (line) => lines.push(line));
  expect(verdict.failed, lines.join("\n")).toBe(0);
  expect(verdict.passed > 0 || verdict.skipped !== undefined, "a proof shows something or says why not").toBe(
    true,
  );
});
