/** `npm run bench`: lists the benchmarks. `npm run bench NAME [-- --rounds N]`: runs one; exits 1 when a goal is clearly missed. */
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { CATALOGUE, type Entry } from "./catalogue.ts";
import { buildPackages, installPeers } from "./ready.ts";
import { report } from "./report.ts";
import { runRounds } from "./rounds.ts";

const NAMES = Object.keys(CATALOGUE);
const USE = `Use: npm run bench NAME [-- --rounds N], NAME one of ${NAMES.join(", ")}.`;

function wanted(): { name: string | undefined; rounds: number | undefined } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: "string" } },
  });
  const [name, ...more] = positionals;
  if (name !== undefined && !NAMES.includes(name))
    throw new Error(`No benchmark is called "${name}". ${USE}`);
  if (more.length > 0) throw new Error(`Unexpected ${more.join(" ")}. ${USE}`);
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
    throw new Error(`--rounds must be a whole number above 0; got "${values.rounds}". ${USE}`);
  }
  return { name, rounds };
}

async function run(name: string, entry: Entry, asked: number | undefined): Promise<void> {
  const { claim, packages, withoutPeers = false, load } = entry;
  if (!withoutPeers) installPeers(console.error);
  buildPackages(packages, console.error);
  const { benchmark } = await load();
  const rounds = asked ?? benchmark.rounds;
  const measured = await runRounds(name, benchmark, rounds);
  console.log(`${name}: ${claim}`);
  console.log(
    `Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown CPU"}, ${rounds} ${rounds === 1 ? "round" : "rounds"}`,
  );
  let missed = 0;
  for (const table of benchmark.tables) missed += report(table, measured, console.log);
  if (missed === 0) return;
  console.log(`\n${missed} ${missed === 1 ? "goal was" : "goals were"} missed.`);
  process.exitCode = 1;
}

try {
  const { name, rounds } = wanted();
  if (name !== undefined) await run(name, CATALOGUE[name]!, rounds);
  else for (const [each, { claim }] of Object.entries(CATALOGUE)) console.log(`${each.padEnd(10)} ${claim}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
