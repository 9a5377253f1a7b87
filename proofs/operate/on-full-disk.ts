import { dirname } from "node:path";
import { onFullDisk } from "../../packages/store/test/full-disk.ts";
import type { Episode } from "./episodes.ts";
import { expectThat } from "./expect-that.ts";

/** The disk gets full between two payments; the operator prunes, and goes on. */
export const onFullDiskAgain: readonly Episode[] = (["open", "reopened"] as const).map((how) => ({
  what: `disk full, pruned by a process that ${how === "open" ? "has it open" : "opens it again"}`,
  async run(path) {
    const seen = onFullDisk(dirname(path), how);
    expectThat(
      seen.refused === "TOOL_UNAVAILABLE",
      `a payment on a full disk was not refused: ${seen.refused}`,
    );
    expectThat(seen.pruned, "nothing was pruned");
    expectThat(seen.again === "paid" && seen.known === "paid" && seen.paid === 2, JSON.stringify(seen));
    expectThat(seen.ok && seen.damage.length === 0, `the store is damaged: ${seen.damage[0]}`);
    return `saw ${seen.refused}, did prune: paid afterwards, once each`;
  },
}));
