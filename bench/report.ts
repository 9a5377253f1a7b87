import type { Goal, Round, Row, Table } from "./benchmark.ts";
import { median } from "./harness.ts";

/** The share of rounds that must miss a goal before it counts as missed: noise alone does not do that. */
const CLEARLY = 0.75;

export type Verdict = "met" | "unclear" | "MISSED";

/** Prints a table and returns how many of its goals were clearly missed. */
export function report(
  { title, rows }: Table,
  rounds: readonly Round[],
  print: (line: string) => void,
): number {
  const cells = rows.map((row) => cellsOf(row, rounds));
  const header = [title, "median", "range", "goal", ""];
  const widths = header.map((text, column) =>
    Math.max(text.length, ...cells.map((each) => each[column]!.length)),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => (column === 0 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)))
      .join("  ");
  print("");
  print(line(header).trimEnd());
  print(
    widths
      .map((width) => "-".repeat(width))
      .join("  ")
      .trimEnd(),
  );
  for (const each of cells) print(line(each).trimEnd());
  return cells.filter((each) => each.at(-1) === "MISSED").length;
}

function cellsOf(row: Row, rounds: readonly Round[]): string[] {
  const values = rounds.map((round) => row.value(round));
  const unit = row.unit ?? "×";
  const atLeast = rounds.some((round) => row.bound?.(round) === true) ? "> " : "";
  const range = `${number(Math.min(...values))}–${number(Math.max(...values))}`;
  const goal =
    row.goal === undefined ? "" : `${"atMost" in row.goal ? "≤" : "≥"} ${limitOf(row.goal)}${unit}`;
  return [
    row.label,
    `${atLeast}${number(median(values))}${unit}`,
    range,
    goal,
    row.goal === undefined ? "" : verdict(values, row.goal),
  ];
}

/**
 * Met when the median of the rounds is within the goal; missed when the median is not and at least three quarters of
 * the rounds agree; unclear in between.
 */
export function verdict(values: readonly number[], goal: Goal): Verdict {
  const within = (value: number) => ("atMost" in goal ? value <= goal.atMost : value >= goal.atLeast);
  if (within(median(values))) return "met";
  const misses = values.filter((value) => !within(value)).length;
  return misses >= values.length * CLEARLY ? "MISSED" : "unclear";
}

function limitOf(goal: Goal): number {
  return "atMost" in goal ? goal.atMost : goal.atLeast;
}

function number(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
