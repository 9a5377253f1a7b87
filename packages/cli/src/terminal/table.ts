import { paint, printStyled, type Tone, visible } from "./output.ts";

export type Row = readonly string[];

/** Rows for people with a header in columns; for programs a line each, fields separated by tabs, and no header. */
export function printTable(
  head: Row,
  rows: readonly Row[],
  toneOf: (index: number) => Tone = () => "plain",
): void {
  printStyled(tableLines(head, rows, toneOf));
}

function tableLines(head: Row, rows: readonly Row[], toneOf: (index: number) => Tone): string[] {
  const clean = rows.map((row) => row.map((cell) => visible(cell).replace(/[\t\n]/g, " ")));
  if (!process.stdout.isTTY) return clean.map((row) => row.join("\t"));
  const widths = head.map((title, column) =>
    Math.max(title.length, ...clean.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: Row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [paint(line(head), "dim"), ...clean.map((row, index) => paint(line(row), toneOf(index)))];
}
