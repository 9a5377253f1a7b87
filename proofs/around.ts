/** What holds for the plain call holds around every corner: each property against each way in which a call can come about. */
import { startNats } from "../scripts/start-nats.ts";
import { fleet } from "./around/fleet.ts";
import { PROPERTIES } from "./around/properties.ts";
import { RULES, together } from "./around/together.ts";
import { WAYS } from "./around/ways.ts";
import { aiSdkPeers } from "./interop/loops/ai-sdk.ts";
import { installedPeers } from "./interop/peers.ts";
import type { Proof } from "./proof.ts";

const WIDTH = 13;

/** A cell of the table: what was found, and the number of a reason below it. */
function shown(missed: readonly string[] | undefined, reason: number | "" | undefined): string {
  const found = missed === undefined ? "" : missed.length === 0 ? "holds " : "MISS ";
  return `${found}${reason === undefined ? "" : `(${reason})`}`;
}

/** The frameworks beneath which a rig runs. The quick version has the one that is installed with the project. */
async function peersFor(mode: "quick" | "full", print: (line: string) => void) {
  const [aiSdk] = aiSdkPeers;
  const own = aiSdk === undefined ? [] : [aiSdk];
  if (mode === "quick") return { found: own, missing: undefined };
  try {
    return { found: [...own, ...(await installedPeers(print))], missing: undefined };
  } catch (error) {
    return { found: own, missing: error instanceof Error ? error.message : String(error) };
  }
}

export const proof: Proof = {
  name: "around",
  claim:
    "However a call comes about: principal, labels, completeness, budget, redaction, deadline, ledger, record; of several at once: stop, sequential, source order, budgets, abort",
  async run(mode, print) {
    const server = await startNats();
    const [misses, reasons]: [string[], string[]] = [[], []];
    let [passed, failed] = [0, 0];
    const printRow = (name: string, cells: readonly string[]) =>
      print(`${name.padEnd(23)}${cells.map((cell) => cell.padEnd(WIDTH)).join("")}`.trimEnd());
    printRow(
      "",
      PROPERTIES.map(({ name }) => name),
    );
    try {
      for (const way of [...WAYS, fleet(server.url)]) {
        const cells: string[] = [];
        for (const property of PROPERTIES) {
          const { misses: missed, reason } = await property.look(way);
          const where = `${way.name}, ${property.name}`;
          if (reason !== undefined) reasons.push(`${where}: ${reason}`);
          if (missed?.length === 0) passed += 1;
          else if (missed !== undefined) failed += 1;
          misses.push(...(missed ?? []).map((miss) => `${where}: ${miss}`));
          cells.push(shown(missed, reason && reasons.length));
        }
        printRow(way.name, cells);
      }
      const { found, missing } = await peersFor(mode, print);
      if (missing !== undefined) reasons.push(`other frameworks: ${missing}`);
      printRow(
        "several at once",
        RULES.map(({ name }) => name),
      );
      for (const way of together(server.url, found)) {
        const cells: string[] = [];
        for (const rule of RULES) {
          const miss = await rule.look(way);
          if (miss === undefined) passed += 1;
          else failed += 1;
          if (miss !== undefined) misses.push(`${way.name}, ${rule.name}: ${miss}`);
          cells.push(shown(miss === undefined ? [] : [miss], undefined));
        }
        printRow(way.name, cells);
      }
    } finally {
      await server.close();
    }
    for (const [index, reason] of reasons.entries()) print(`(${index + 1}) ${reason}`);
    for (const miss of misses) print(`MISS ${miss}`);
    return { passed, failed };
  },
};
