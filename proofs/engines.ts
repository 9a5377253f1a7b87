/** What vendors send, through their own packages, and what the loop makes of it: every situation with every vendor. */
import { wireServer } from "../packages/agent/test/wire/server.ts";
import { VENDOR_NAMES, type VendorName } from "../packages/agent/test/wire/vendors.ts";
import { BREAKING } from "./engines/breaking.ts";
import { Bench } from "./engines/conversation.ts";
import { LIMITS } from "./engines/limits.ts";
import type { Situation } from "./engines/situation.ts";
import { TALKING } from "./engines/talking.ts";
import type { Proof } from "./proof.ts";

const SITUATIONS: readonly Situation[] = [...TALKING, ...BREAKING, ...LIMITS];

/** How often each is played: more often finds what depends on timing. */
const ROUNDS = { quick: 1, full: 5 };

export const proof: Proof = {
  name: "engines",
  claim: `Six vendors' streams in ${SITUATIONS.length} situations, cut and broken ones among them: no silent loss, no call run by mistake`,
  async run(mode, print) {
    const server = await wireServer();
    const width = Math.max(...SITUATIONS.map(({ name }) => name.length));
    const misses: string[] = [];
    let passed = 0;
    let failed = 0;
    print(`${"".padEnd(width)}  ${VENDOR_NAMES.join("  ")}`);
    try {
      for (const situation of SITUATIONS) {
        const cells: string[] = [];
        for (const vendor of VENDOR_NAMES) {
          const cell = await tried(situation, new Bench(vendor, server), ROUNDS[mode]);
          cells.push((typeof cell === "string" ? cell : "MISS").padEnd(vendor.length));
          if (cell === "ok") passed += 1;
          if (typeof cell === "string") continue;
          failed += 1;
          misses.push(...cell.map((miss) => `${situation.name}, ${vendor}: ${miss}`));
        }
        print(`${situation.name.padEnd(width)}  ${cells.join("  ")}`);
      }
    } finally {
      await server.close();
    }
    print("");
    for (const line of absent()) print(line);
    for (const miss of misses) print(`MISS ${miss}`);
    return { passed, failed };
  },
};

/** "ok", "-" where it cannot come about, or what is wrong. */
async function tried({ not, misses }: Situation, bench: Bench, rounds: number): Promise<string | string[]> {
  if (not?.[bench.vendor] !== undefined) return "-";
  const found = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const seen = await misses(bench).catch((error: Error) => [`threw ${error.message}`]);
    for (const miss of seen) found.add(miss);
  }
  return found.size === 0 ? "ok" : [...found];
}

function absent(): string[] {
  return SITUATIONS.flatMap(({ name, not = {} }) =>
    Object.entries(not).map(([vendor, why]) => `-    ${name}, ${vendor as VendorName}: it ${why}`),
  );
}
