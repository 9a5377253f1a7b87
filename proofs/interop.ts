import type { BehaviourName } from "./interop/behaviours.ts";
import { printFields, provedFields } from "./interop/fields.ts";
import { fieldTables, peers } from "./interop/peers.ts";
import { cellsOf, printTable } from "./interop/table.ts";
import type { Proof } from "./proof.ts";

/** Enough to see that a peer still fits: each goes another way through its adapter. */
const QUICK: readonly BehaviourName[] = [
  "several calls",
  "broken arguments repaired",
  "unknown tool",
  "approval granted",
  "image result",
  "end of run",
];

export const proof: Proof = {
  name: "interop",
  claim: "A tool of a rig beneath another loop has the whole pipeline, and nothing gets lost on the way",

  async run(mode, print) {
    const { found, missing } = await peers(print);
    const cells = [];
    for (const peer of found) {
      if (mode === "full") cells.push(...(await cellsOf(peer)));
      else if (peer.fullOnly !== true) cells.push(...(await cellsOf(peer, QUICK)));
    }
    printTable(cells, print);
    const verdicts = [];
    if (missing === undefined)
      for (const table of await fieldTables()) verdicts.push(...(await provedFields(table)));
    printFields(verdicts, print);
    const failed =
      cells.filter(({ came }) => came === "missed").length +
      verdicts.filter(({ differs }) => differs.length > 0).length;
    const passed = cells.length + verdicts.length - failed;
    return { passed, failed, ...(missing !== undefined && { skipped: missing }) };
  },
};
