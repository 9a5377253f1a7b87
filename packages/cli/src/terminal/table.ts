import { paint, printStyled, type Tone, visible } from "./output.ts";

export type Row = readonly string[];

/** Items for people with a header in columns; for programs a line each, fields separated by tabs, and no header. */
export function printTable<Item>(
  head: Row,
  items: readonly Item[],
  cellsOf: (item: Item) => Row,
  toneOf: (item: Item) => Tone = () => "plain",
): void {
  const rows = items.map((item) => ({ cells: cellsOf(item).map(clean), tone: toneOf(item) }));
  if (process.stdout.isTTY) printStyled(inColumns(head, rows));
  else printStyled(rows.map(({ cells }) => cells.join("\t")));
}

function clean(cell: string): string {
  return visible(cell).replace(/[\t\n]/g, " ");
}

function inColumns(head: Row, rows: readonly { cells: Row; tone: Tone }[]): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map(({ cells }) => cells[column]?.length ?? 0)),
  );
  const line = (row: Row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [paint(line(head), "dim"), ...rows.map(({ cells, tone }) => paint(line(cells), tone))];
}
