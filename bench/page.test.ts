import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Benchmark, Round } from "./benchmark.ts";
import { CATALOGUE } from "./catalogue.ts";
import type { Circumstances } from "./circumstances.ts";
import { type Figures, missedIn, tablesOf } from "./figures.ts";
import { withFigures } from "./page.ts";

const ORDER = ["call", "json", "loop"];
const PAGE =
  "# Benchmarks\n\nBy hand.\n\n## Results\n\nAll goals.\n\n## call\n\nAbout calls.\n\n## json\n\nAbout JSON.\n";
const QUIET: Circumstances = {
  date: "2026-11-16",
  machine: "2 × Some CPU, 8 GB, Linux 6.1 x64",
  cores: 2,
  node: "24.21.0",
  versions: { ai: "7.0.169", fd: undefined },
  commit: "abcdef12",
  rounds: 3,
  load: [0.2, 1.14],
};

/** What a benchmark of one goal and one plain row comes to when it measures these. */
function figures(
  name: string,
  values: readonly number[],
  circumstances: Partial<Circumstances> = {},
): Figures {
  const benchmark: Benchmark = {
    rounds: values.length,
    cases: {},
    tables: [
      {
        title: "One call",
        rows: [
          { label: "Toolrig to raw", value: (round) => round("case").value!, goal: { atMost: 2 } },
          { label: "  with a | listener", value: (round) => round("case").value! * 1000, unit: " B" },
        ],
      },
    ],
  };
  const rounds = values.map(
    (value): Round =>
      () => ({ value }),
  );
  return { name, circumstances: { ...QUIET, ...circumstances }, tables: tablesOf(benchmark, rounds) };
}

test("figures stand in the benchmark's section and its goals in the summary, with all that they depend on", () => {
  const page = withFigures(PAGE, figures("call", [1.5, 1.6, 1.4]), ORDER);
  expect(page).toBe(`# Benchmarks

By hand.

## Results

All goals.

<!-- summary of goals -->

| benchmark | what | goal | median | range | | on |
|---|---|---|---|---|---|---|
| [call](#call) | One call: Toolrig to raw | ≤ 2× | 1.50× | 1.40–1.60 | met | 2026-11-16 |

<!-- end of summary of goals -->

## call

About calls.

<!-- figures of call -->

Measured on 2026-11-16: 2 × Some CPU, 8 GB, Linux 6.1 x64; Node 24.21.0; commit abcdef12; 3 rounds; load average 0.2 to 1.1. Compared with ai 7.0.169, fd (not installed).

| One call | median | range | goal |  |
|---|---|---|---|---|
| Toolrig to raw | 1.50× | 1.40–1.60 | ≤ 2× | met |
| with a \\| listener | 1,500 B | 1,400–1,600 |  |  |

<!-- end of figures of call -->

## json

About JSON.
`);
});

test("a second run replaces its own rows only", () => {
  const first = withFigures(withFigures(PAGE, figures("json", [1]), ORDER), figures("call", [1]), ORDER);
  const second = withFigures(first, figures("json", [1.9], { date: "2026-11-17" }), ORDER);
  const expected = first
    .replace(
      "| [json](#json) | One call: Toolrig to raw | ≤ 2× | 1.00× | 1.00–1.00 | met | 2026-11-16 |",
      "| [json](#json) | One call: Toolrig to raw | ≤ 2× | 1.90× | 1.90–1.90 | met | 2026-11-17 |",
    )
    .replace(/(<!-- figures of json -->[\s\S]*)/, (section) =>
      section
        .replace("2026-11-16", "2026-11-17")
        .replace("1.00× | 1.00–1.00", "1.90× | 1.90–1.90")
        .replace("1,000 B | 1,000–1,000", "1,900 B | 1,900–1,900"),
    );
  expect(second).toBe(expected);
  expect(second).not.toBe(first);
  expect(withFigures(second, figures("json", [1.9], { date: "2026-11-17" }), ORDER)).toBe(second);
});

test("goals are in the order of the catalogue, whatever ran last", () => {
  const page = withFigures(withFigures(PAGE, figures("json", [1]), ORDER), figures("call", [1]), ORDER);
  expect(Array.from(page.matchAll(/^\| \[(\w+)\]/gm), ([, name]) => name)).toEqual(["call", "json"]);
});

test("a missed goal is shouted, in both places", () => {
  const missed = figures("call", [3, 3, 1]);
  const page = withFigures(PAGE, figures("call", [3, 3, 3]), ORDER);
  expect(page.match(/\*\*MISSED\*\*/g)).toHaveLength(2);
  expect(missedIn(figures("call", [3, 3, 3]))).toBe(1);
  expect(withFigures(PAGE, missed, ORDER)).toContain("| unclear | 2026-11-16 |");
});

test("a benchmark that did not finish does not keep the figures of a better day", () => {
  const good = withFigures(PAGE, figures("call", [1]), ORDER);
  const failed: Figures = {
    name: "call",
    circumstances: QUIET,
    tables: [],
    failed: "Case one ended\nwith exit code 1 <!-- end of figures of call -->",
  };
  const page = withFigures(good, failed, ORDER);
  expect(page).toContain("| [call](#call) | did not finish |  |  |  | **MISSED** | 2026-11-16 |");
  expect(page).toContain("**MISSED**: it did not finish. Case one ended with exit code 1 &lt;!-- end");
  expect(page).not.toContain("1.00×");
  expect(withFigures(page, figures("call", [1]), ORDER)).toBe(good);
});

test("figures of a busy machine say so", () => {
  const page = withFigures(PAGE, figures("call", [1], { load: [0.5, 3.2] }), ORDER);
  expect(page).toContain("**The machine was busy with other things**");
  expect(page).toContain("| met | 2026-11-16, busy |");
});

test("a benchmark without a section gets one at the end of the page", () => {
  const page = withFigures(PAGE, figures("loop", [1]), ORDER);
  expect(page).toMatch(/About JSON\.\n\n## loop\n\n<!-- figures of loop -->/);
});

test("npm run bench list names them all, and runs none", async () => {
  const run = promisify(execFile);
  const main = join(import.meta.dirname, "main.ts");
  const { stdout } = await run("node", [main, "list"]);
  expect(Array.from(stdout.matchAll(/^[\w-]+/gm), ([name]) => name)).toEqual(Object.keys(CATALOGUE));
  for (const [args, said] of [
    [["speed"], 'No benchmark is called "speed"'],
    [["--only", "call,speed"], 'No benchmark is called "speed"'],
    [["call", "--only", "json"], "not both"],
    [["call", "--rounds", "0"], "--rounds must be a whole number above 0"],
    [["--round", "3"], "Unknown option '--round'"],
  ] as const)
    await expect(run("node", [main, ...args])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(said),
    });
});

test.each([
  ["broken documents of 1 KB", "Broken, 1 KB: "],
  ["broken documents of 100 KB", "Broken, 100 KB: "],
  ["50 KB in chunks of 16 characters", "Stream of 50 KB in 16-character chunks"],
])("the README of @toolrig/json claims no more for %s than was measured", (claim, rows) => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, "..", file), "utf8");
  const [, claimed] =
    new RegExp(`^\\| ${claim}.*?at least (\\d+) times`, "m").exec(read("packages/json/README.md")) ?? [];
  const measured = read("docs/benchmarks.md")
    .split("\n")
    .filter((line) => line.startsWith(`| [json](#json) | ${rows}`))
    .flatMap((line) => /\| ≥ [^|]+ \| ([\d.]+)× \|/.exec(line)?.[1] ?? []);
  expect(measured.length).toBeGreaterThan(0);
  expect(Math.min(...measured.map(Number))).toBeGreaterThanOrEqual(Number(claimed));
});
