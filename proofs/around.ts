/** What holds for the plain call holds around every corner: each property against each way in which a call can come about. */
import { startNats } from "../scripts/start-nats.ts";
import { fleet } from "./around/fleet.ts";
import { PROPERTIES } from "./around/properties.ts";
import { WAYS } from "./around/ways.ts";
import type { Proof } from "./proof.ts";

const WIDTH = 13;

/** A cell of the table: what was found, and the number of a reason below it. */
function shown(missed: readonly string[] | undefined, reason: number | "" | undefined): string {
  const found = missed === undefined ? "" : missed.length === 0 ? "holds " : "MISS ";
  return `${found}${reason === undefined ? "" : `(${reason})`}`;
}

export const proof: Proof = {
  name: "around",
  claim:
    "However a call comes about: principal, labels, completeness, budget, redaction, deadline, ledger, record",
  async run(_mode, print) {
    const server = await startNats();
    const [misses, reasons]: [string[], string[]] = [[], []];
    let [passed, failed] = [0, 0];
    print(`${"".padEnd(19)}${PROPERTIES.map(({ name }) => name.padEnd(WIDTH)).join("")}`);
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
        print(`${way.name.padEnd(19)}${cells.map((cell) => cell.padEnd(WIDTH)).join("")}`.trimEnd());
      }
    } finally {
      await server.close();
    }
    for (const [index, reason] of reasons.entries()) print(`(${index + 1}) ${reason}`);
    for (const miss of misses) print(`MISS ${miss}`);
    return { passed, failed };
  },
};
