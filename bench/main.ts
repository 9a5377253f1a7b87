/**
 * `npm run bench`: runs all benchmarks, prints every goal with what came of it, and writes the figures into docs/benchmarks.md.
 * `npm run bench NAME` runs one, `npm run bench list` lists them. Exits 1 when a goal is clearly missed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CATALOGUE, type Entry } from "./catalogue.ts";
import { observe } from "./circumstances.ts";
import { type Figures, missedIn, tablesOf } from "./figures.ts";
import { withFigures } from "./page.ts";
import { buildPackages, installPeers } from "./ready.ts";
import { printFigures, printSummary } from "./report.ts";
import { runRounds } from "./rounds.ts";

const NAMES = Object.keys(CATALOGUE);
const PAGE = join(import.meta.dirname, "../docs/benchmarks.md");
const USE = `Use: npm run bench [NAME | list] [-- --only NAME,NAME --rounds N --no-write]. Names: ${NAMES.join(", ")}.`;

interface Wanted {
  names: readonly string[];
  rounds: number | undefined;
  /** Whether the page gets the figures. */
  write: boolean;
}

function wanted(): Wanted | "list" {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      rounds: { type: "string" },
      only: { type: "string" },
      write: { type: "boolean", default: true },
    },
  });
  const [name, ...more] = positionals;
  if (more.length > 0) throw new Error(`Unexpected ${more.join(" ")}. ${USE}`);
  if (name === "list") return "list";
  if (name !== undefined && values.only !== undefined)
    throw new Error(`Give a name or --only, not both. ${USE}`);
  const asked = values.only?.split(",") ?? (name === undefined ? NAMES : [name]);
  for (const each of asked)
    if (!NAMES.includes(each)) throw new Error(`No benchmark is called "${each}". ${USE}`);
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error(`--rounds must be a whole number above 0; got "${values.rounds}". ${USE}`);
  return { names: NAMES.filter((each) => asked.includes(each)), rounds, write: values.write };
}

async function measure(name: string, entry: Entry, asked: number | undefined): Promise<Figures> {
  if (entry.withoutPeers !== true) installPeers(console.error);
  buildPackages(entry.packages, console.error);
  const { benchmark } = await entry.load();
  const rounds = asked ?? benchmark.rounds;
  const circumstancesOf = observe();
  const done = (rest: Pick<Figures, "tables" | "failed">): Figures => ({
    name,
    circumstances: circumstancesOf(rounds, entry.versions?.() ?? {}),
    ...rest,
  });
  try {
    return done({ tables: tablesOf(benchmark, await runRounds(name, benchmark, rounds)) });
  } catch (error) {
    return done({ tables: [], failed: error instanceof Error ? error.message : String(error) });
  }
}

/** One after the other; what is done is written at once, so that an end in between loses nothing. */
async function runAll({ names, rounds, write }: Wanted): Promise<void> {
  const minutes = names.reduce((sum, name) => sum + (CATALOGUE[name]?.minutes ?? 0), 0);
  if (names.length > 1)
    console.log(`${names.length} benchmarks, about ${minutes} minutes on a machine with nothing else to do.`);
  const all: Figures[] = [];
  for (const name of names) {
    const entry = CATALOGUE[name]!;
    const figures = await measure(name, entry, rounds);
    all.push(figures);
    const { machine, node, rounds: ran } = figures.circumstances;
    console.log(`\n${name}: ${entry.claim}`);
    console.log(`Node ${node}, ${machine}, ${ran} ${ran === 1 ? "round" : "rounds"}`);
    if (figures.failed !== undefined) console.error(`It did not finish: ${figures.failed}`);
    printFigures(figures, console.log);
    if (write) writeFileSync(PAGE, withFigures(readFileSync(PAGE, "utf8"), figures, NAMES));
  }
  if (names.length > 1) printSummary(all, console.log);
  if (write) console.log("\nThe figures are in docs/benchmarks.md.");
  const missed = all.reduce((sum, figures) => sum + missedIn(figures), 0);
  if (missed > 0) console.log(`\n${missed} ${missed === 1 ? "goal was" : "goals were"} missed.`);
  if (missed > 0 || all.some(({ failed }) => failed !== undefined)) process.exitCode = 1;
}

try {
  const asked = wanted();
  if (asked !== "list") await runAll(asked);
  else
    for (const [name, { claim, minutes }] of Object.entries(CATALOGUE))
      console.log(`${name.padEnd(13)} ${claim} (about ${minutes} min)`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
