/** Toolrig as somebody finds it who has only just come: what the pages promise holds in a fresh clone and in a project of one's own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inClone } from "./fresh/in-clone.ts";
import { inProject } from "./fresh/in-project.ts";
import { onPages } from "./fresh/on-pages.ts";
import { Trial } from "./fresh/trial.ts";
import type { Proof } from "./proof.ts";

const root = join(import.meta.dirname, "..");

export const proof: Proof = {
  name: "fresh",
  claim:
    "A newcomer's first steps work: clone, start, test, install, quick start, every snippet, command and link of the pages",

  async run(mode, print) {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-fresh-"));
    const trial = new Trial(folder, print);
    try {
      if (mode === "quick") {
        print(
          "quick: this checkout as it is built. The full version adds a clone, npm test, other Nodes and every snippet.",
        );
        await onPages(trial, root);
        await inProject(trial, root);
      } else await inClone(trial, root);
      return trial.verdict();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
