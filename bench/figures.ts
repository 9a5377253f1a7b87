import type { Benchmark, Goal, Round, Row } from "./benchmark.ts";
import type { Circumstances } from "./circumstances.ts";
import { median } from "./harness.ts";

/** The share of rounds that must miss a goal before it counts as missed: noise alone does not do that. */
const CLEARLY = 0.75;

export type Verdict = "met" | "unclear" | "MISSED";

/** A row as it is shown. Without a goal it has no verdict. */
export interface Figure {
  label: string;
  median: string;
  range: string;
  goal: string;
  verdict: Verdict | "";
}

export interface FiguresTable {
  title: string;
  figures: readonly Figure[];
}

/** What came of a benchmark: its tables, or why it did not finish. */
export interface Figures {
  name: string;
  circumstances: Circumstances;
  tables: readonly FiguresTable[];
  failed?: string;
}

export function tablesOf({ tables }: Benchmark, rounds: readonly Round[]): FiguresTable[] {
  return tables.map(({ title, rows }) => ({ title, figures: rows.map((row) => figureOf(row, rounds)) }));
}

export function missedIn({ tables }: Figures): number {
  return tables.flatMap(({ figures }) => figures).filter(({ verdict: each }) => each === "MISSED").length;
}

function figureOf(row: Row, rounds: readonly Round[]): Figure {
  const values = rounds.map((round) => row.value(round));
  const unit = row.unit ?? "×";
  const atLeast = rounds.some((round) => row.bound?.(round) === true) ? "> " : "";
  return {
    label: row.label,
    median: `${atLeast}${number(median(values))}${unit}`,
    range: `${number(Math.min(...values))}–${number(Math.max(...values))}`,
    goal: row.goal === undefined ? "" : `${"atMost" in row.goal ? "≤" : "≥"} ${limitOf(row.goal)}${unit}`,
    verdict: row.goal === undefined ? "" : verdict(values, row.goal),
  };
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
